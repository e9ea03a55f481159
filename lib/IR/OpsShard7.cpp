// Generated op definitions, part 7: nothing is written by hand here.
#define GET_OP_DEFS_7
#include "OpsShard.h"
