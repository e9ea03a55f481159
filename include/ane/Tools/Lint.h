//===- Lint.h - ane-translate --lint ---------------------------*- C++ -*-===//
#ifndef ANE_TOOLS_LINT_H
#define ANE_TOOLS_LINT_H

namespace mlir::ane {

/// Registers `--lint` and its options `--target`, `--route`, `--os`, `--strictness`, `--weights`, `--json`.
void registerLintTranslation();

} // namespace mlir::ane

#endif // ANE_TOOLS_LINT_H
