// Generated op definitions, part 4: nothing is written by hand here.
#define GET_OP_DEFS_4
#include "OpsShard.h"
