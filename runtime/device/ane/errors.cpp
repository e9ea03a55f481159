//===- errors.cpp - What the framework's errors mean ----------------------===//
#include "runtime/device/ane/errors.h"

#include "absl/strings/str_cat.h"

namespace ane::rt::engine {
namespace {

struct KnownError {
  const char *text; ///< in the description
  int64_t code;     ///< of the NSError, if there is no text
  Refusal kind;
  const char *meaning;
};

/// ane-programming.md 1.8, ane-op-chip-matrix.md 7.6. A failed load was tried again after 0.1 s (ANEgpt, maderix), a
/// failed compilation after 0.1 to 1 s (Espresso): ane-programming.md 1.2.
constexpr KnownError kKnown[] = {
    {"InvalidMILProgram", 0, Refusal::Program, "the compiler takes no such program"},
    {"ANECCompile() FAILED", 0, Refusal::Transient, "the compiler gives no reason"},
    {"0x1d", 0, Refusal::Transient,
     "a surface is too small, surfaces are bound in another order, or the process is poisoned"},
    {"0x50004", 0, Refusal::Resource, "too many programs are loaded"},
    {"0x20004", 0, Refusal::Resource, "there is no room for it beside what is loaded"},
    {"0xe00002bd", 0, Refusal::Resource, "no memory"},
    {"0xe00002be", 0, Refusal::Resource, "no resources"},
    {"0xe00002c2", 0, Refusal::Program, "a wrong argument"},
    {"0xe00002c7", 0, Refusal::Program, "it is not supported, or not allowed to this process"},
    {"0xe00002e2", 0, Refusal::Program, "it is not signed as the system wants"},
    {"0xe0000404", 0, Refusal::Transient, "no answer in time"},
    {"0x2", 0, Refusal::Program, "wrong symbol indices"},
    {nullptr, 0x12, Refusal::Resource, "surfaces can't be mapped"},
    {nullptr, 13, Refusal::Resource, "surfaces can't be mapped"},
    {nullptr, 15, Refusal::Program, "programs can't be chained"},
    {nullptr, 42, Refusal::Program, "a surface is smaller than the program needs"},
    // NSXPCConnectionInterrupted and NSXPCConnectionInvalid of Foundation, which the framework speaks to its service
    // by.
    {nullptr, 4097, Refusal::Gone, "the system's service has ended, with all that was loaded"},
    {nullptr, 4099, Refusal::Gone, "the system's service has ended, with all that was loaded"},
};

constexpr std::chrono::milliseconds kWait{100};

/// Whether `text` has the word: 0x2 is no part of 0x20004.
bool hasWord(const std::string &text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if (end == text.size() || !isxdigit(static_cast<unsigned char>(text[end])))
      return true;
  }
  return false;
}

} // namespace

absl::Status statusOf(const std::string &subject, const std::string &text, int64_t code, const std::string &domain) {
  Refusal kind = Refusal::Transient;
  const char *meaning = "";
  std::string name = absl::StrCat(code);
  for (const KnownError &known : kKnown)
    if (known.text ? hasWord(text, known.text) : code == known.code) {
      kind = known.kind;
      meaning = known.meaning;
      if (known.text)
        name = known.text;
      break;
    }
  std::string message = absl::StrCat(subject, ": ", text.empty() ? "no reason is given" : text, " (code ", code,
                                     domain.empty() ? "" : " of ", domain, ")");
  if (*meaning)
    absl::StrAppend(&message, ": ", meaning);
  return refuse(kind, message, name, mayPass(kind) ? kWait : std::chrono::milliseconds(0));
}

} // namespace ane::rt::engine
