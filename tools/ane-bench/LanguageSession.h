//===- LanguageSession.h - a language model on the CPU ---------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_LANGUAGESESSION_H
#define ANE_TOOLS_BENCH_LANGUAGESESSION_H

#include "ane/runtime/ane.h"
#include <cstdint>
#include <string>

namespace ane::bench {

/// The functions of a decoder's bundle, prompt and single tokens over the same states. Methods return what went wrong,
/// or nothing.
class LanguageSession {
public:
  LanguageSession() = default;
  ~LanguageSession();
  LanguageSession(const LanguageSession &) = delete;
  LanguageSession &operator=(const LanguageSession &) = delete;

  /// The bundle was compiled for prompts of `prompt` tokens, and for `parallel` sequences if that is not 0.
  std::string open(const std::string &bundle, int prompt, int parallel, int threads);
  /// Takes a prompt at the beginning, or `count` tokens behind it, one by one; `ns` receives the time.
  std::string prefill(double &ns);
  std::string decode(int count, double &ns);
  /// Takes `count` tokens of each of the parallel sequences, at the positions of decode().
  std::string together(int count, double &ns);

private:
  /// A function and what it reads.
  struct Function {
    ane_session *session = nullptr;
    int32_t *ids = nullptr, *position = nullptr;
    size_t count = 0; ///< of ids
  };
  static std::string find(Function &function);
  std::string steps(Function &function, int count, double &ns);

  ane_bundle *bundle = nullptr;
  Function prompts, single, parallel;
};

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_LANGUAGESESSION_H
