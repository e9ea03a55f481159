#ifndef SIMULATED_SIGNPOST_H
#define SIMULATED_SIGNPOST_H

#include <os/log.h>
#include <stdint.h>

typedef uint64_t os_signpost_id_t;
#define OS_SIGNPOST_ID_EXCLUSIVE ((os_signpost_id_t)1)
#define os_signpost_id_generate(log) ((void)(log), OS_SIGNPOST_ID_EXCLUSIVE)
#define os_signpost_interval_begin(log, id, ...) ((void)(log), (void)(id))
#define os_signpost_interval_end(log, id, ...) ((void)(log), (void)(id))
#define os_signpost_event_emit(log, id, ...) ((void)(log), (void)(id))

#endif // SIMULATED_SIGNPOST_H
