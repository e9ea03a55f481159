// Generated op definitions, part 6: nothing is written by hand here.
#define GET_OP_DEFS_6
#include "OpsShard.h"
