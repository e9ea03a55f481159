#ifndef SIMULATED_RUNTIME_H
#define SIMULATED_RUNTIME_H

#include_next <objc/runtime.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef uintptr_t objc_AssociationPolicy;
enum {
  OBJC_ASSOCIATION_ASSIGN = 0,
  OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1,
  OBJC_ASSOCIATION_COPY_NONATOMIC = 3,
  OBJC_ASSOCIATION_RETAIN = 01401,
  OBJC_ASSOCIATION_COPY = 01403
};
id objc_getAssociatedObject(id object, const void *key);
void objc_setAssociatedObject(id object, const void *key, id value, objc_AssociationPolicy policy);
void objc_removeAssociatedObjects(id object);
/// To be freed.
Class *objc_copyClassList(unsigned int *count);
#ifdef __cplusplus
}
#endif

#endif // SIMULATED_RUNTIME_H
