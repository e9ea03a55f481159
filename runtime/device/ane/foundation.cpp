//===- foundation.cpp - Objects of Foundation -----------------------------===//
#include "runtime/device/ane/foundation.h"

namespace ane::rt::objc {
namespace {

/// NSUInteger.
using Count = unsigned long;

} // namespace

Id Foundation::string(const std::string &text) const {
  return runtime.send(runtime.classNamed("NSString"), "stringWithUTF8String:", text.c_str());
}

Id Foundation::number(int64_t value) const {
  return runtime.send(runtime.classNamed("NSNumber"), "numberWithLongLong:", static_cast<long long>(value));
}

Id Foundation::array(const std::vector<Id> &objects) const {
  return runtime.send(runtime.classNamed("NSArray"), "arrayWithObjects:count:", objects.data(),
                      static_cast<Count>(objects.size()));
}

Id Foundation::dictionary(const std::vector<std::pair<Id, Id>> &entries) const {
  Id result = runtime.send(runtime.classNamed("NSMutableDictionary"), "dictionary");
  for (const auto &[key, value] : entries)
    runtime.send<void>(result, "setObject:forKey:", value, key);
  return result;
}

Id Foundation::dataOf(const void *bytes, uint64_t size) const {
  return runtime.send(runtime.classNamed("NSData"),
                      "dataWithBytesNoCopy:length:freeWhenDone:", const_cast<void *>(bytes), static_cast<Count>(size),
                      Bool(0));
}

std::string Foundation::text(Id string) const {
  const char *utf8 = string ? runtime.send<const char *>(string, "UTF8String") : nullptr;
  return utf8 ? utf8 : "";
}

std::vector<Id> Foundation::objects(Id array) const {
  std::vector<Id> result;
  const Count count = array ? runtime.send<Count>(array, "count") : 0;
  for (Count i = 0; i < count; ++i)
    result.push_back(runtime.send(array, "objectAtIndex:", i));
  return result;
}

std::vector<int64_t> Foundation::numbers(Id array) const {
  std::vector<int64_t> result;
  for (Id number : objects(array))
    result.push_back(runtime.send<long long>(number, "longLongValue"));
  return result;
}

std::vector<std::string> Foundation::texts(Id array) const {
  std::vector<std::string> result;
  for (Id string : objects(array))
    result.push_back(text(string));
  return result;
}

Id Foundation::valueOf(Id dictionary, const char *key) const {
  return dictionary ? runtime.send(dictionary, "objectForKey:", string(key)) : nullptr;
}

} // namespace ane::rt::objc
