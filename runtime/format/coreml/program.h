//===- program.h - MIL programs as protocol buffers -------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_COREML_PROGRAM_H
#define ANE_RUNTIME_FORMAT_COREML_PROGRAM_H

#include "MIL.pb.h"
#include "absl/status/statusor.h"
#include "runtime/format/mil/ast.h"

namespace ane::rt::coreml {

namespace proto = ::CoreML::Specification::MILSpec;

/// Arguments and attributes come in the order of their names: the file has none.
absl::StatusOr<mil::Program> fromProto(const proto::Program &program);
absl::StatusOr<proto::Program> toProto(const mil::Program &program);

/// Types and values alone. An error says what is wrong, not where.
absl::StatusOr<mil::Type> fromProto(const proto::ValueType &type);
absl::StatusOr<mil::Value> fromProto(const proto::Value &value);
absl::Status toProto(const mil::Type &type, proto::ValueType &out);
absl::Status toProto(const mil::Value &value, proto::Value &out);

} // namespace ane::rt::coreml

#endif // ANE_RUNTIME_FORMAT_COREML_PROGRAM_H
