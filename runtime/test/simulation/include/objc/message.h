#ifndef SIMULATED_MESSAGE_H
#define SIMULATED_MESSAGE_H

#include_next <objc/message.h>
#ifdef __cplusplus
extern "C" {
#endif
/// As Apple's headers have it: to be cast to the method's type.
void objc_msgSend(void);
void objc_msgSend_stret(void);
void objc_msgSend_fpret(void);
#ifdef __cplusplus
}
#endif

#endif // SIMULATED_MESSAGE_H
