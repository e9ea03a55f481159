//===- Predict.h - times by published speeds -------------------*- C++ -*-===//
#ifndef ANE_LIB_REPORT_PREDICT_H
#define ANE_LIB_REPORT_PREDICT_H

#include "ane/Report/Report.h"

namespace mlir::ane {

/// Of a run of the function, whose other fields are known.
Prediction predict(const ReportedFunction &function, StringRef chip);

} // namespace mlir::ane

#endif // ANE_LIB_REPORT_PREDICT_H
