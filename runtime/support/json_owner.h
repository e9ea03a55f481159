//===- json_owner.h - JSON values that end without memory -------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_JSON_OWNER_H
#define ANE_RUNTIME_SUPPORT_JSON_OWNER_H

#include <utility>

namespace ane::rt {

/// Holds a value of nlohmann's library. Its own destructor makes a list of all
/// that is nested; where there is no memory for that, the process ends. Values
/// that are taken apart from the inside need no list. `Json` must not be nested
/// so deep that recursion is a danger.
template <typename Json>
class JsonOwner {
public:
  explicit JsonOwner(Json value) : json(std::move(value)) {}
  ~JsonOwner() { takeApart(json); }
  JsonOwner(const JsonOwner &) = delete;
  JsonOwner &operator=(const JsonOwner &) = delete;

  Json &operator*() { return json; }
  Json *operator->() { return &json; }

private:
  static void takeApart(Json &value) {
    if (!value.is_structured())
      return;
    for (Json &child : value)
      takeApart(child);
    value.clear();
  }

  Json json;
};

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_JSON_OWNER_H
