//===- foundation.h - Objects of Foundation ---------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_FOUNDATION_H
#define ANE_RUNTIME_DEVICE_ANE_FOUNDATION_H

#include "runtime/device/ane/objc.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ane::rt::objc {

/// What methods make here lives until the pool that is open then ends.
class Foundation {
public:
  explicit Foundation(Runtime runtime) : runtime(runtime) {}

  Id string(const std::string &text) const;
  Id number(int64_t value) const;
  Id array(const std::vector<Id> &objects) const;
  Id dictionary(const std::vector<std::pair<Id, Id>> &entries) const;
  /// NSData that shows memory, which stays as it is while the object lives.
  Id dataOf(const void *bytes, uint64_t size) const;

  /// Of an NSString; "" for null.
  std::string text(Id string) const;
  /// The elements of an NSArray, as they are, NSNumbers and NSStrings; none of null.
  std::vector<Id> objects(Id array) const;
  std::vector<int64_t> numbers(Id array) const;
  std::vector<std::string> texts(Id array) const;
  /// Null for null.
  Id valueOf(Id dictionary, const char *key) const;

  const Runtime runtime;
};

} // namespace ane::rt::objc
#endif // ANE_RUNTIME_DEVICE_ANE_FOUNDATION_H
