//===- command_line.h - Options of the runtime's tools ----------*- C++ -*-===//
//
// Options and positional arguments in any order; `--name=value` and
// `--name value`; `--` ends the options. Each tool lists its options in one
// table, from which parsing and --help follow.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TOOLS_COMMAND_LINE_H
#define ANE_RUNTIME_TOOLS_COMMAND_LINE_H

#include "absl/status/status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace ane::rt::tools {

class CommandLine {
public:
  /// A switch: --name.
  void flag(const char *name, bool *target, const char *help);
  /// --name=VALUE; `value` names what it stands for.
  void option(const char *name, std::string *target, const char *value, const char *help);
  /// An option that may be given many times.
  void list(const char *name, std::vector<std::string> *target, const char *value, const char *help);
  /// An integer of the inclusive range.
  void number(const char *name, int64_t *target, int64_t low, int64_t high, const char *help);
  /// Any number.
  void real(const char *name, double *target, const char *help);

  /// InvalidArgument with a remedy for whatever is wrong.
  absl::Status parse(const std::vector<std::string> &arguments, std::vector<std::string> &positional);

  /// Names of the options that were given, without dashes.
  bool given(const std::string &name) const;

  /// One entry an option, in the order of declaration.
  std::string help() const;

private:
  struct Option {
    std::string name, value, text;
    bool *flag = nullptr;
    std::string *single = nullptr;
    std::vector<std::string> *many = nullptr;
    int64_t *integer = nullptr;
    double *decimal = nullptr;
    int64_t low = 0, high = 0;
    bool seen = false;
  };
  absl::Status store(Option &option, const std::string &value);
  absl::Status unknown(const std::string &name) const;

  std::vector<Option> options;
};

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_COMMAND_LINE_H
