// Generated op definitions, part 5: nothing is written by hand here.
#define GET_OP_DEFS_5
#include "OpsShard.h"
