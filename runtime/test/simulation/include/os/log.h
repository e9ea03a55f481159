#ifndef SIMULATED_LOG_H
#define SIMULATED_LOG_H

#include <stdio.h>

typedef void *os_log_t;
#define OS_LOG_DEFAULT ((os_log_t)0)
#define os_log_create(subsystem, category) ((void)(subsystem), (void)(category), OS_LOG_DEFAULT)
#define os_log(log, ...) ((void)(log), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr))
#define os_log_info os_log
#define os_log_debug os_log
#define os_log_error os_log
#define os_log_fault os_log

#endif // SIMULATED_LOG_H
