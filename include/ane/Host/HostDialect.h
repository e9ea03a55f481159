//===- HostDialect.h - CPU code before its loops ---------------*- C++ -*-===//
#ifndef ANE_HOST_HOSTDIALECT_H
#define ANE_HOST_HOSTDIALECT_H

#include "ane/IR/ANE.h"

#include "ane/Host/HostDialect.h.inc"
#include "ane/Host/HostEnums.h.inc"

#define GET_OP_CLASSES
#include "ane/Host/HostOps.h.inc"

#endif // ANE_HOST_HOSTDIALECT_H
