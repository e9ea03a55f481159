//===- report.h - What a bundle is, as JSON ---------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_REPORT_H
#define ANE_RUNTIME_CORE_REPORT_H

#include "runtime/format/manifest/manifest.h"
#include <string>

namespace ane::rt {

/// JSON on one line; ane.h documents the keys.
std::string bundleJson(const manifest::Manifest &manifest);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_REPORT_H
