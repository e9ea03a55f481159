//===- Matrix.h - one model on many targets --------------------*- C++ -*-===//
#ifndef ANE_REPORT_MATRIX_H
#define ANE_REPORT_MATRIX_H

#include "ane/Report/Report.h"

namespace mlir::ane {

/// The reports of a model for several targets of one chip each.
struct Matrix {
  struct Row {
    const ChipInfo *chip;
    Report report;
  };
  std::string model;
  std::vector<Row> rows;

  /// One line for each chip: share of the FLOPs on the engine, programs, and the ops on the CPU by the record that puts
  /// them there.
  std::string text() const;
  /// One object; of the ops on the CPU each is there with its node and reason.
  std::string json() const;
};

} // namespace mlir::ane

#endif // ANE_REPORT_MATRIX_H
