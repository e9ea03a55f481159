// Generated op definitions, part 2: nothing is written by hand here.
#define GET_OP_DEFS_2
#include "OpsShard.h"
