// Exceptions in Objective-C++, on GCC's runtime: clang's code for the newer GNUstep runtime has C++'s handlers with
// types of that runtime's own. To C++'s library an object that is thrown is a foreign exception, of which it asks each
// type.
#include <cstring>
#include <dlfcn.h>
#include <objc/runtime.h>
#include <typeinfo>
#include <unwind.h>

namespace {

constexpr char kObjectiveC[] = "GNUCOBJC"; ///< what such exceptions are called, first letter highest
struct Thrown {
  _Unwind_Exception header;
  id object; ///< as GCC's runtime has it
};

bool isObject(_Unwind_Exception_Class name) {
  for (int i = 0; i < 8; ++i)
    if (((name >> (8 * (7 - i))) & 0xff) != static_cast<unsigned char>(kObjectiveC[i]))
      return false;
  return true;
}

thread_local id inFlight;
thread_local bool isRethrown;

/// Of the library that this stands before.
template <typename Function>
Function next(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

} // namespace

namespace gnustep::libobjc {

/// `@catch (Class *)`: clang lays such objects out, of a name alone.
struct __objc_class_type_info : std::type_info {
  explicit __objc_class_type_info(const char *name) : std::type_info(name) {}
  ~__objc_class_type_info() override;
  bool __do_catch(const std::type_info *, void **, unsigned) const override {
    for (Class each = inFlight ? object_getClass(inFlight) : Nil; each; each = class_getSuperclass(each))
      if (std::strcmp(class_getName(each), name()) == 0)
        return true;
    return false;
  }
};
__objc_class_type_info::~__objc_class_type_info() = default;

/// `@catch (id)`.
struct __objc_id_type_info : std::type_info {
  __objc_id_type_info() : std::type_info("@id") {}
  bool __do_catch(const std::type_info *, void **, unsigned) const override { return inFlight != nil; }
};

} // namespace gnustep::libobjc

extern "C" {

gnustep::libobjc::__objc_id_type_info __objc_id_type_info;

_Unwind_Reason_Code __gxx_personality_v0(int, _Unwind_Action, _Unwind_Exception_Class, _Unwind_Exception *,
                                         _Unwind_Context *);
_Unwind_Reason_Code __gnustep_objcxx_personality_v0(int version, _Unwind_Action actions, _Unwind_Exception_Class name,
                                                    _Unwind_Exception *exception, _Unwind_Context *context) {
  inFlight = isObject(name) ? reinterpret_cast<Thrown *>(exception)->object : nil;
  return __gxx_personality_v0(version, actions, name, exception, context);
}

/// What the handler gets: C++'s library has nothing to give for a foreign exception.
void *__cxa_begin_catch(void *exception) noexcept {
  static const auto real = next<void *(*)(void *)>("__cxa_begin_catch");
  void *given = real(exception);
  const auto *thrown = static_cast<Thrown *>(exception);
  return isObject(thrown->header.exception_class) ? thrown->object : given;
}

/// At the end of `@finally` clang has the unwinder go on with what C++'s library counts as caught, and would free.
void __cxa_rethrow() {
  isRethrown = true;
  next<void (*)()>("__cxa_rethrow")();
  __builtin_unreachable();
}
_Unwind_Reason_Code _Unwind_Resume_or_Rethrow(_Unwind_Exception *exception) {
  if (!isRethrown)
    __cxa_rethrow();
  isRethrown = false;
  return next<_Unwind_Reason_Code (*)(_Unwind_Exception *)>("_Unwind_Resume_or_Rethrow")(exception);
}

} // extern "C"
