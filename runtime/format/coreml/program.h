//===- program.h - MIL programs as protocol buffers -------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_COREML_PROGRAM_H
#define ANE_RUNTIME_FORMAT_COREML_PROGRAM_H

#include "MIL.pb.h"
#include "absl/status/statusor.h"
#include "runtime/format/mil/ast.h"

namespace ane::rt::coreml {

namespace proto = ::CoreML::Specification::MILSpec;

/// Arguments and attributes come in the order of their names: the file has none. InvalidArgument for what is damaged,
/// Unimplemented for what is not supported, with a remedy.
absl::StatusOr<mil::Program> fromProto(const proto::Program &program);
absl::StatusOr<proto::Program> toProto(const mil::Program &program);

/// What has been read of one program: some bytes of a file become a hundred times as many in memory, and what is above
/// all real programs is refused.
class Count {
public:
  /// Types, values and texts.
  absl::Status nodes(int64_t more);
  absl::Status node() { return nodes(1); }
  /// Of constants that lie in the program itself.
  absl::Status elements(int64_t more);

private:
  int64_t seenNodes = 0, seenElements = 0;
};

/// Types and values alone. An error says what is wrong, not where.
absl::StatusOr<mil::Type> fromProto(const proto::ValueType &type, Count &count);
absl::StatusOr<mil::Value> fromProto(const proto::Value &value, Count &count);
void toProto(const mil::Type &type, proto::ValueType &out);
absl::Status toProto(const mil::Value &value, proto::Value &out);

} // namespace ane::rt::coreml

#endif // ANE_RUNTIME_FORMAT_COREML_PROGRAM_H
