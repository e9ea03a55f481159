// Generated op definitions, part 0: nothing is written by hand here.
#define GET_OP_DEFS_0
#include "OpsShard.h"
