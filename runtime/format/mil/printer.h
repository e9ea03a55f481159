//===- printer.h - Syntax tree to MIL text ----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_MIL_PRINTER_H
#define ANE_RUNTIME_FORMAT_MIL_PRINTER_H

#include "runtime/format/mil/ast.h"

#include <string>

namespace ane::rt::mil {

/// Prints the tree as it stands, so that parse(print(program)) == program.
/// Types keep the spelling they have (see `respell`); floats are hex floats;
/// lists are flat; nothing depends on locale or platform.
std::string print(const Program &program);

/// A single value or statement, for messages.
std::string print(const Value &value);
std::string print(const Statement &statement);

} // namespace ane::rt::mil

#endif // ANE_RUNTIME_FORMAT_MIL_PRINTER_H
