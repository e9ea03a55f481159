//===- ScoreMask.h - which scores of attention are hidden ------*- C++ -*-===//
#ifndef ANE_LIB_HOST_SCOREMASK_H
#define ANE_LIB_HOST_SCOREMASK_H

#include "Product.h"

namespace mlir::ane::host {

/// The mask that the program behind a product of scores adds (attrs::masked). Columns that it hides from all rows of a
/// tile need no sums: they are the entries of a cache that no token has yet, and what stands behind a query.
class ScoreMask {
public:
  /// Nothing if the product has no such mask, or one that can't be asked for `columns` neighbours at a time.
  static std::optional<ScoreMask> find(const Product &product, const RowProgram &program, int64_t columns);

  /// Whether it is the same for all rows of a batch.
  bool isSameForRows() const { return sameForRows; }
  /// Whether one of the `rows` rows from row `firstRow` of the result on sees one of the columns from `firstColumn` on.
  Value isSeen(OpBuilder &b, Location loc, const KernelBuilder &kernel, Value firstRow, int64_t rows,
               Value firstColumn) const;

private:
  ScoreMask(const RowProgram &program, const RowValue &load, bool sameForRows, int64_t columns)
      : program(&program), load(&load), sameForRows(sameForRows), columns(columns) {}

  const RowProgram *program;
  const RowValue *load;
  bool sameForRows;
  int64_t columns;
};

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_SCOREMASK_H
