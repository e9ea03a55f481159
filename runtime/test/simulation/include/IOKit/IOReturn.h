#ifndef SIMULATED_IORETURN_H
#define SIMULATED_IORETURN_H

typedef int kern_return_t, IOReturn;
#define KERN_SUCCESS 0
#define kIOReturnSuccess 0
#define kIOReturnNoMemory ((IOReturn)0xe00002bd)
#define kIOReturnBadArgument ((IOReturn)0xe00002c2)
#define kIOReturnCannotLock ((IOReturn)0xe00002cc)

#endif // SIMULATED_IORETURN_H
