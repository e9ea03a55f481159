// Generated op definitions, part 3: nothing is written by hand here.
#define GET_OP_DEFS_3
#include "OpsShard.h"
