// What programs ask of a task: its memory.
#ifndef SIMULATED_MACH_H
#define SIMULATED_MACH_H

#include <mach/mach_time.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef unsigned int mach_port_t, task_t, natural_t, mach_msg_type_number_t, task_flavor_t;
typedef int integer_t, *task_info_t;
typedef uint64_t mach_vm_size_t;

typedef struct mach_task_basic_info {
  mach_vm_size_t virtual_size, resident_size, resident_size_max;
} mach_task_basic_info_data_t, *mach_task_basic_info_t;
typedef struct task_vm_info {
  mach_vm_size_t virtual_size, resident_size, resident_size_peak, internal, phys_footprint;
} task_vm_info_data_t, *task_vm_info_t;

#define MACH_PORT_NULL ((mach_port_t)0)
#define MACH_TASK_BASIC_INFO 20
#define MACH_TASK_BASIC_INFO_COUNT ((mach_msg_type_number_t)(sizeof(mach_task_basic_info_data_t) / sizeof(natural_t)))
#define TASK_VM_INFO 22
#define TASK_VM_INFO_COUNT ((mach_msg_type_number_t)(sizeof(task_vm_info_data_t) / sizeof(natural_t)))
#define mach_task_self() ((mach_port_t)1)
static inline const char *mach_error_string(kern_return_t code) { return code == KERN_SUCCESS ? "success" : "failure"; }

static inline kern_return_t task_info(task_t task, task_flavor_t flavor, task_info_t to,
                                      mach_msg_type_number_t *count) {
  unsigned long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  (void)task;
  if (!file)
    return 5; // KERN_FAILURE
  const int read = fscanf(file, "%lu %lu", &pages, &resident);
  fclose(file);
  const mach_vm_size_t page = (mach_vm_size_t)sysconf(_SC_PAGESIZE), all = pages * page, own = resident * page;
  if (read == 2 && flavor == MACH_TASK_BASIC_INFO && *count >= MACH_TASK_BASIC_INFO_COUNT)
    *(mach_task_basic_info_t)(void *)to = (mach_task_basic_info_data_t){all, own, own};
  else if (read == 2 && flavor == TASK_VM_INFO && *count >= TASK_VM_INFO_COUNT)
    *(task_vm_info_t)(void *)to = (task_vm_info_data_t){all, own, own, own, own};
  else
    return 4; // KERN_INVALID_ARGUMENT
  return KERN_SUCCESS;
}

#endif // SIMULATED_MACH_H
