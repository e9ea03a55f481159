//===- pattern.cpp - Regular expressions of tokenizers --------------------===//
#include "runtime/text/tokenizer/pattern.h"
#include "runtime/support/clock.h"
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/text_map.h"
#include "runtime/text/tokenizer/unicode.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace ane::rt::text {
namespace {

constexpr size_t kMaxPattern = 16 << 10;
constexpr uint32_t kMatchLimit = 5'000'000, kDepthLimit = 10'000, kHeapLimitKiB = 64 << 10;
constexpr int64_t kMaxNs = 10'000'000'000;

/// Oniguruma's classes in PCRE2's words, without the brackets.
constexpr std::string_view kSpace = "\\p{White_Space}", kDigit = "\\p{Nd}",
                           kWord = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}";

/// The pattern in PCRE2's words.
class Translator {
public:
  explicit Translator(std::string_view source) : source(source) {}

  absl::StatusOr<std::string> run() {
    while (at < source.size() && error.empty()) {
      char c = source[at];
      if (c == '\\')
        escape();
      else if (inClass)
        member(c);
      else {
        inClass = c == '[';
        take(inClass && at + 1 < source.size() && source[at + 1] == '^' ? 2 : 1);
      }
    }
    if (!error.empty())
      return absl::InvalidArgumentError(absl::StrCat("the pattern ", quote(source), ", at byte ", at, ": ", error));
    return result;
  }

private:
  std::string_view source;
  size_t at = 0;
  bool inClass = false;
  std::string result, error;

  void take(size_t count) {
    result.append(source.substr(at, count));
    at += count;
  }
  void put(std::string_view text) {
    result.append(text);
    at += 2;
  }
  void member(char c) {
    if (source.substr(at, 2) == "&&")
      error = "an intersection of classes, which is not supported";
    else if (c == '[' && source.substr(at, 2) != "[:")
      error = "a class in a class, which is not supported";
    else if (c == '[') {
      size_t end = source.find(":]", at);
      take(end == std::string_view::npos ? source.size() - at : end + 2 - at);
    } else {
      inClass = c != ']';
      take(1);
    }
  }
  /// A class by itself, or as a part of one.
  void putClass(std::string_view members, bool isNegated) {
    if (!inClass)
      put(absl::StrCat(isNegated ? "[^" : "[", view(members), "]"));
    else if (!isNegated)
      put(members);
    else if (members == kWord)
      error = "\\W in a class, which is not supported";
    else
      put(absl::StrCat("\\P", view(members).substr(2)));
  }
  void escape() {
    char kind = at + 1 < source.size() ? source[at + 1] : '\0';
    std::string_view known = "pPrntfaexAz"; // \x: hexadecimal in both
    if (kind == 's' || kind == 'S')
      putClass(kSpace, kind == 'S');
    else if (kind == 'd' || kind == 'D')
      putClass(kDigit, kind == 'D');
    else if (kind == 'w' || kind == 'W')
      putClass(kWord, kind == 'W');
    else if ((kind == 'b' || kind == 'B') && !inClass) {
      std::string word = absl::StrCat("[", view(kWord), "])");
      std::string isEdge = absl::StrCat("(?<=", word, "(?!", word, "|(?<!", word, "(?=", word);
      put(absl::StrCat(kind == 'b' ? "(?:" : "(?!", isEdge, ")"));
    } else if (kind == 'u' && at + 6 <= source.size() &&
               source.substr(at + 2, 4).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos) {
      put("\\x{");
      take(4);
      result += '}';
    } else if (kind != '\0' && (known.find(kind) != std::string_view::npos || !isalnum(static_cast<uint8_t>(kind))))
      take(2);
    else
      error = absl::StrCat("\\", std::string(1, kind), ", which is not supported");
  }
};

/// What matching needs besides the pattern, one for each thread.
struct Scratch {
  pcre2_match_context *context = pcre2_match_context_create(nullptr);
  pcre2_jit_stack *stack = pcre2_jit_stack_create(32 << 10, 4 << 20, nullptr);
  pcre2_match_data *data = pcre2_match_data_create(1, nullptr);

  Scratch() {
    if (!context || !data)
      throw std::bad_alloc();
    pcre2_set_match_limit(context, kMatchLimit);
    pcre2_set_depth_limit(context, kDepthLimit);
    pcre2_set_heap_limit(context, kHeapLimitKiB);
    pcre2_jit_stack_assign(context, nullptr, stack);
  }
  ~Scratch() {
    pcre2_match_data_free(data);
    pcre2_jit_stack_free(stack);
    pcre2_match_context_free(context);
  }
};

std::string errorText(int code) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<const char *>(text);
}

} // namespace

struct Pattern::Compiled {
  pcre2_code *code;
  explicit Compiled(pcre2_code *code) : code(code) {}
  Compiled(const Compiled &) = delete;
  ~Compiled() { pcre2_code_free(code); }
};

absl::StatusOr<Pattern> Pattern::regex(std::string_view source) {
  if (source.size() > kMaxPattern)
    return absl::InvalidArgumentError(absl::StrCat("a pattern of ", source.size(), " bytes, limit ", kMaxPattern));
  absl::StatusOr<std::string> translated = Translator(source).run();
  if (!translated.ok())
    return translated.status();
  // Anchored: findAll() goes from place to place and looks at the clock.
  constexpr uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_ANCHORED | PCRE2_NEVER_BACKSLASH_C;
  std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context *)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  if (!context)
    return absl::ResourceExhaustedError("no memory for a pattern");
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context.get(), 100);
  int code = 0;
  size_t offset = 0;
  pcre2_code *made = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated->data()), translated->size(), options, &code,
                                   &offset, context.get());
  if (!made)
    return absl::InvalidArgumentError(absl::StrCat("the pattern ", quote(source), ": ", errorText(code)));
  Pattern pattern;
  pattern.compiled = std::make_shared<const Compiled>(made);
  pattern.source = source;
  // Without JIT, which not every processor has, the interpreter does the same.
  pcre2_jit_compile(made, PCRE2_JIT_COMPLETE);
  return pattern;
}

Pattern Pattern::literal(std::string_view text) {
  Pattern pattern;
  pattern.source = text;
  return pattern;
}

absl::Status Pattern::findAll(std::string_view text, std::vector<Range> &matches) const {
  if (!compiled) {
    for (size_t at = 0; !source.empty() && (at = text.find(source, at)) != std::string_view::npos; at += source.size())
      matches.emplace_back(at, at + source.size());
    return absl::OkStatus();
  }
  thread_local Scratch scratch;
  int64_t begin = nowNs();
  unsigned count = 0;
  for (size_t at = 0; at < text.size();) {
    int found = pcre2_match(compiled->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at,
                            PCRE2_NO_UTF_CHECK, scratch.data, scratch.context);
    if (found >= 0) {
      size_t *range = pcre2_get_ovector_pointer(scratch.data);
      if (range[1] < range[0])
        return absl::InvalidArgumentError(absl::StrCat("the pattern ", quote(source), " matches backwards"));
      matches.emplace_back(range[0], range[1]);
      at = range[1];
      if (range[1] > range[0])
        continue;
    } else if (found != PCRE2_ERROR_NOMATCH) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the pattern ", quote(source), " at byte ", at, " of the text: ", errorText(found)));
    }
    if (at < text.size())
      decodeNext(text, at);
    if (++count % 64 == 0 && nowNs() - begin > kMaxNs)
      return absl::ResourceExhaustedError(absl::StrCat("the pattern ", quote(source), " takes more than ",
                                                       kMaxNs / 1'000'000'000, " s for a text of ", text.size(),
                                                       " bytes"));
  }
  return absl::OkStatus();
}

} // namespace ane::rt::text
