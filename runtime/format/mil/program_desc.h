//===- program_desc.h - A program and the surfaces of its functions -------===//
//
// What a device is given of a program, and what the linter judges: text, weight
// files, and where the elements of inputs and outputs lie.
//
// Surfaces: an element (n,c,h,w) of a tensor is at byte
// ((n*C+c)*H+h)*rowStride + w*size, the last axis is contiguous
// (ane-programming.md 2.3). Tensors of any other rank follow the same rule with
// the leading axes flattened into rows; a rank-0 tensor is one row of one
// element.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_MIL_PROGRAM_DESC_H
#define ANE_RUNTIME_FORMAT_MIL_PROGRAM_DESC_H

#include "runtime/support/element_type.h"
#include "runtime/support/folder.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt {

/// One input or output of a procedure.
struct SurfaceDesc {
  /// Name of the function parameter, or of the returned value.
  std::string name;
  ElementType type = ElementType::Float16;
  std::vector<int64_t> shape;
  /// Bytes from one innermost row to the next; at least the bytes of a row.
  int64_t rowStride = 0;
  /// Bytes of the allocation; at least rows * rowStride.
  int64_t bytes = 0;
};

/// Rows of a shape: the product of all dimensions but the last.
int64_t surfaceRows(const std::vector<int64_t> &shape);

/// Bytes of one innermost row without padding.
int64_t surfaceRowBytes(ElementType type, const std::vector<int64_t> &shape);

/// The description with the engine's row stride (row bytes rounded up to 64,
/// ane-programming.md 2.3) and the smallest allocation that holds it.
SurfaceDesc makeSurfaceDesc(std::string name, ElementType type, std::vector<int64_t> shape);

/// A function of a program that is to be evaluated.
struct ProcedureDesc {
  std::string function = "main"; ///< in the text
  /// In any order; a device finds them by name, whatever order it binds in.
  std::vector<SurfaceDesc> inputs = {};
  std::vector<SurfaceDesc> outputs = {};
};

/// What a device needs to load one program.
struct ProgramDesc {
  /// Named in every message.
  std::string name;
  std::string milText;
  /// What messages call the text; empty: the name.
  std::string source;
  /// Where the files are that the text names, see weightPath(). May be null.
  std::shared_ptr<const Folder> folder;
  /// At least one; other functions of the text are not looked at.
  std::vector<ProcedureDesc> procedures = {ProcedureDesc()};

  /// What messages call a procedure: the program, or "program.function" of several.
  std::string nameOf(const ProcedureDesc &procedure) const {
    return procedures.size() == 1 ? name : name + "." + procedure.function;
  }
};

/// The path below ProgramDesc::folder of a file that MIL text names:
/// "weights/w.bin" for "@model_path/weights/w.bin". Nothing for other names.
std::optional<std::string_view> weightPath(std::string_view name);

} // namespace ane::rt

#endif // ANE_RUNTIME_FORMAT_MIL_PROGRAM_DESC_H
