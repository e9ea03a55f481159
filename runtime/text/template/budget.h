//===- budget.h - What a template may cost ----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TEMPLATE_BUDGET_H
#define ANE_RUNTIME_TEXT_TEMPLATE_BUDGET_H

#include <cstdint>
#include <string>

namespace ane::rt::text::jinja {

/// What is thrown inside, where the place in the template is not known; the
/// evaluator adds it.
struct Failure {
  std::string message;
};

/// A template's work: a step is about a byte that is written or an element that
/// is looked at. As nothing is stored that was not paid for, this bounds memory.
class Budget {
public:
  explicit Budget(uint64_t steps) : limit(steps), left(steps) {}

  void spend(uint64_t steps) {
    if (steps > left)
      throw Failure{"the template takes more than " + std::to_string(limit) +
                    " steps; its loops or texts grow without bound, or the conversation is too long for it"};
    left -= steps;
  }

private:
  uint64_t limit, left;
};

} // namespace ane::rt::text::jinja

#endif // ANE_RUNTIME_TEXT_TEMPLATE_BUDGET_H
