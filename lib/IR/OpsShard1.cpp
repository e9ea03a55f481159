// Generated op definitions, part 1: nothing is written by hand here.
#define GET_OP_DEFS_1
#include "OpsShard.h"
