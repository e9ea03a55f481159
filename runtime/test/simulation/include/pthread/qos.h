#ifndef SIMULATED_PTHREAD_QOS_H
#define SIMULATED_PTHREAD_QOS_H

#include <sys/qos.h>

static inline int pthread_set_qos_class_self_np(qos_class_t qos, int priority) {
  (void)qos;
  (void)priority;
  return 0;
}
static inline qos_class_t qos_class_self(void) { return QOS_CLASS_DEFAULT; }

#endif // SIMULATED_PTHREAD_QOS_H
