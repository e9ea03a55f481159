//===- shared_table.h - What users of one key share -------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_SHARED_TABLE_H
#define ANE_RUNTIME_CORE_SHARED_TABLE_H

#include "absl/status/statusor.h"
#include <map>
#include <memory>
#include <mutex>

namespace ane::rt {

/// Objects by key. All users of a key share one object, which goes with the last
/// of them and leaves nothing in the table. The table outlives its objects.
template <typename Key, typename T>
class SharedTable {
public:
  /// The object of that key; `make`, which gives a StatusOr<std::unique_ptr<T>>,
  /// is called if there is none, by one thread at a time.
  template <typename Make>
  absl::StatusOr<std::shared_ptr<T>> get(const Key &key, Make &&make) {
    std::lock_guard<std::recursive_mutex> lock(mutex);
    std::weak_ptr<T> &entry = entries[key];
    struct Tidy { // also after an exception
      ~Tidy() { table.tidy(key); }
      SharedTable &table;
      const Key &key;
    } tidy{*this, key};
    if (std::shared_ptr<T> found = entry.lock())
      return found;
    absl::StatusOr<std::unique_ptr<T>> made = make();
    if (!made.ok())
      return made.status();
    Remove remove{this, std::make_shared<Key>(key)};
    std::shared_ptr<T> shared(made->release(), std::move(remove));
    entry = shared;
    return shared;
  }

private:
  struct Remove {
    void operator()(T *object) {
      table->tidy(*key);
      delete object;
    }
    SharedTable *table;
    std::shared_ptr<Key> key;
  };

  void tidy(const Key &key) {
    std::lock_guard<std::recursive_mutex> lock(mutex);
    if (auto found = entries.find(key); found != entries.end() && found->second.expired())
      entries.erase(found);
  }

  /// Recursive: an object that cannot be kept is removed while it is made.
  std::recursive_mutex mutex;
  std::map<Key, std::weak_ptr<T>> entries;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_SHARED_TABLE_H
