//===- InitAll.h - registration of everything ------------------*- C++ -*-===//
#ifndef ANE_INITALL_H
#define ANE_INITALL_H

namespace mlir {
class DialectRegistry;
namespace ane {
/// The ane dialect and the upstream dialects that its modules may contain.
void registerDialects(DialectRegistry &registry);
/// All passes and pipelines of the project, and upstream's canonicalize, cse, symbol-dce.
void registerPasses();
} // namespace ane
} // namespace mlir

#endif // ANE_INITALL_H
