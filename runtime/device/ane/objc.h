//===- objc.h - The Objective-C runtime, found when it is needed *- C++ -*-===//
//
// The engine's framework is Objective-C. Its runtime has a C interface, which is
// found by name when somebody asks for the device: nothing is linked, so that a
// program starts where a framework is not there, and is built without Apple's
// compiler or headers. Apple's runtime sends messages through objc_msgSend, GCC's
// looks the function up (objc_msg_lookup): that is the only difference.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_ANE_OBJC_H
#define ANE_RUNTIME_DEVICE_ANE_OBJC_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device/refusal.h"

#include <string>
#include <utility>
#include <vector>

namespace ane::rt::objc {

/// An object, or a class, which is one, too.
using Id = struct ObjectOfSomeClass *;
using Selector = struct SelectorOfSomeName *;
/// What BOOL is, on each system a byte.
using Bool = signed char;

/// Shared libraries in which names are looked for. They stay loaded.
class Libraries {
public:
  /// Unimplemented, with the reason of the system, if one can't be loaded.
  static absl::StatusOr<Libraries> open(const std::vector<std::string> &paths);
  /// Null if none of them has it.
  void *symbol(const char *name) const;
  template <typename Function>
  Function *function(const char *name) const {
    return reinterpret_cast<Function *>(symbol(name));
  }

private:
  std::vector<void *> handles;
};

class Runtime {
public:
  /// Of libraries that have an Objective-C runtime, or depend on one.
  static absl::StatusOr<Runtime> in(const Libraries &libraries);

  /// Null if there is none.
  Id classNamed(const char *name) const { return getClass(name); }
  Selector selector(const char *name) const { return registerName(name); }

  /// A message. Arguments have exactly the types that the method declares, as arguments of C functions.
  template <typename Result = Id, typename... Arguments>
  Result send(Id receiver, const char *name, Arguments... arguments) const {
    Selector selector = registerName(name);
    auto *method = reinterpret_cast<Result (*)(Id, Selector, Arguments...)>(implementation(receiver, selector));
    return method(receiver, selector, arguments...);
  }
  bool responds(Id receiver, const char *name) const {
    return receiver && send<Bool>(receiver, "respondsToSelector:", registerName(name)) != 0;
  }

  Id retain(Id object) const { return object ? send(object, "retain") : nullptr; }
  void release(Id object) const {
    if (object)
      send<void>(object, "release");
  }

  /// Objects that methods give, other than those of new, alloc and copy, live until the pool that is open then ends.
  class Pool {
  public:
    explicit Pool(const Runtime &runtime);
    Pool(const Pool &) = delete;
    ~Pool();

  private:
    const Runtime &runtime;
    void *pool;
  };

  /// What `body` gives. If a method raises an exception, a refusal that may pass, with what the exception says.
  template <typename Body>
  static auto guarded(const std::string &subject, Body &&body) -> decltype(body()) {
    raised().clear();
    try {
      return body();
    } catch (const std::exception &) {
      throw; // C++'s own
    } catch (...) {
      return refuse(Refusal::Transient, subject + ": the framework raised an exception" + raised(), "exception");
    }
  }

private:
  /// ": name: reason" of the last exception of this thread, where the runtime tells.
  static std::string &raised();
  static Id noteException(Id exception);

  void *implementation(Id receiver, Selector selector) const {
    return messageSend ? messageSend : lookUp(receiver, selector);
  }

  Id (*getClass)(const char *) = nullptr;
  Selector (*registerName)(const char *) = nullptr;
  void *messageSend = nullptr;
  void *(*lookUp)(Id, Selector) = nullptr;
  void *(*poolPush)() = nullptr;
  void (*poolPop)(void *) = nullptr;
};

/// An object that is held.
class Owned {
public:
  Owned() = default;
  /// Retains it.
  Owned(const Runtime &runtime, Id object) : runtime(&runtime), object(runtime.retain(object)) {}
  Owned(Owned &&other) noexcept : runtime(other.runtime), object(std::exchange(other.object, nullptr)) {}
  Owned &operator=(Owned &&other) noexcept {
    std::swap(runtime, other.runtime);
    std::swap(object, other.object);
    return *this;
  }
  ~Owned() {
    if (object)
      runtime->release(object);
  }
  Id get() const { return object; }
  explicit operator bool() const { return object != nullptr; }

private:
  const Runtime *runtime = nullptr;
  Id object = nullptr;
};

} // namespace ane::rt::objc
#endif // ANE_RUNTIME_DEVICE_ANE_OBJC_H
