//===- command_line.cpp - Options of the runtime's tools ------------------===//
#include "runtime/tools/command_line.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace ane::rt::tools {
namespace {

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// Number of single-character edits between two words.
size_t distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replace = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replace});
    }
  }
  return row.back();
}

} // namespace

void CommandLine::flag(const char *name, bool *target, const char *help) {
  Option option{name, "", help};
  option.flag = target;
  options.push_back(option);
}

void CommandLine::option(const char *name, std::string *target, const char *value, const char *help) {
  Option option{name, value, help};
  option.single = target;
  options.push_back(option);
}

void CommandLine::list(const char *name, std::vector<std::string> *target, const char *value, const char *help) {
  Option option{name, value, help};
  option.many = target;
  options.push_back(option);
}

void CommandLine::number(const char *name, int64_t *target, int64_t low, int64_t high, const char *help) {
  Option option{name, "N", help};
  option.integer = target;
  option.low = low;
  option.high = high;
  options.push_back(option);
}

void CommandLine::real(const char *name, double *target, const char *help) {
  Option option{name, "X", help};
  option.decimal = target;
  options.push_back(option);
}

absl::Status CommandLine::store(Option &option, const std::string &value) {
  if (option.seen && !option.many)
    return wrong("--", option.name, " is given twice");
  option.seen = true;
  if (option.many) {
    option.many->push_back(value);
  } else if (option.integer) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(value, &number) || number < option.low || number > option.high)
      return wrong("--", option.name, ": is \"", value, "\", expected a number from ", option.low, " to ", option.high);
    *option.integer = number;
  } else if (option.decimal) {
    if (!absl::SimpleAtod(value, option.decimal) || !std::isfinite(*option.decimal))
      return wrong("--", option.name, ": is \"", value, "\", expected a number");
  } else {
    *option.single = value;
  }
  return absl::OkStatus();
}

absl::Status CommandLine::unknown(const std::string &name) const {
  const Option *closest = nullptr;
  for (const Option &option : options)
    if (!closest || distance(name, option.name) < distance(name, closest->name))
      closest = &option;
  std::string hint;
  if (closest && distance(name, closest->name) <= name.size() / 3)
    hint = absl::StrCat("; did you mean --", closest->name, "?");
  return wrong("unknown option --", name, hint, hint.empty() ? ";" : "", " see --help");
}

absl::Status CommandLine::parse(const std::vector<std::string> &arguments, std::vector<std::string> &positional) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument == "--") {
      positional.insert(positional.end(), arguments.begin() + i + 1, arguments.end());
      break;
    }
    if (argument.size() < 2 || argument[0] != '-') {
      positional.push_back(argument);
      continue;
    }
    std::string name = argument.substr(argument[1] == '-' ? 2 : 1);
    std::string value;
    size_t equals = name.find('=');
    bool attached = equals != std::string::npos;
    if (attached) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    if (name == "h")
      name = "help";
    auto option = std::find_if(options.begin(), options.end(), [&](const Option &o) { return o.name == name; });
    if (option == options.end())
      return unknown(name);
    if (option->flag) {
      if (attached)
        return wrong("--", name, " takes no value, got \"", value, "\"");
      option->seen = *option->flag = true;
      continue;
    }
    if (!attached) {
      if (i + 1 == arguments.size())
        return wrong("--", name, " needs a value: --", name, "=", option->value);
      value = arguments[++i];
    }
    if (absl::Status status = store(*option, value); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

bool CommandLine::given(const std::string &name) const {
  return std::any_of(options.begin(), options.end(), [&](const Option &o) { return o.name == name && o.seen; });
}

std::string CommandLine::help() const {
  std::string text;
  for (const Option &option : options) {
    std::string head = absl::StrCat("  --", option.name, option.value.empty() ? "" : "=", option.value);
    head.resize(std::max<size_t>(head.size() + 1, 28), ' ');
    std::vector<std::string> lines = absl::StrSplit(option.text, '\n');
    absl::StrAppend(&text, head, lines[0], "\n");
    for (size_t i = 1; i < lines.size(); ++i)
      absl::StrAppend(&text, std::string(28, ' '), lines[i], "\n");
  }
  return text;
}

} // namespace ane::rt::tools
