//===- MIL.h - MIL text out and in -----------------------------*- C++ -*-===//
//
// `serialize` prints emittable IR as MIL text, `deserialize` reads MIL text as ane ops. One op is one statement; both
// walk the argument table of the op record (MILSpellingOpInterface). Neither decides anything: the order of parameters,
// names, blob records and the opset are in the IR.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_TARGET_MIL_MIL_H
#define ANE_TARGET_MIL_MIL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/format/mil/ast.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ane::mil {

/// Stands for the folder that holds the weight files (ane-programming.md 3.5).
inline constexpr llvm::StringLiteral modelPath = "@model_path/";

/// Syntax tree of `op`: an `ane.program`, or a `func.func` as the only function of a program. Emits an error at the op
/// that has no spelling.
FailureOr<::ane::rt::mil::Program> buildProgram(Operation *op);

/// The tree as text. `op` may be a module, too, with one `ane.program` or with functions of ane ops alone.
LogicalResult serialize(Operation *op, llvm::raw_ostream &os);

struct DeserializeOptions {
  /// For locations and messages.
  std::string fileName = "<mil>";
  /// What `@model_path` stands for. Weight files that exist there are checked against the types of their constants;
  /// those that do not exist are taken to be well-formed.
  std::string weightsDir;
};

/// A module with one `ane.program` that holds a `func.func` for each function of the text. Every message names line and
/// column, and the operation.
OwningOpRef<ModuleOp> deserialize(llvm::StringRef text, const DeserializeOptions &options, MLIRContext *context);
/// The same of a tree. Where it comes from no text, messages name the statement in place of a line.
OwningOpRef<ModuleOp> deserialize(const ::ane::rt::mil::Program &program, const DeserializeOptions &options,
                                  MLIRContext *context);

/// The program in file `path` as a model: a module of phase input with its functions. `@model_path` is the folder of
/// the file.
OwningOpRef<ModuleOp> importProgram(llvm::StringRef path, MLIRContext *context);
OwningOpRef<ModuleOp> importProgram(const ::ane::rt::mil::Program &program, const DeserializeOptions &options,
                                    MLIRContext *context);

/// The element type of MIL and of weight files for a builtin type; nothing for those that MIL lacks (i64, bf16, f64).
std::optional<::ane::rt::ElementType> elementTypeFor(Type type);

/// A valid MIL name near `text`: [A-Za-z_][A-Za-z0-9_]*, no word of the language.
std::string makeName(llvm::StringRef text);

/// ane-translate --ane-to-mil, --mil-to-ane.
void registerTranslations();

} // namespace mlir::ane::mil

#endif // ANE_TARGET_MIL_MIL_H
