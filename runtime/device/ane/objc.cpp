//===- objc.cpp - The Objective-C runtime, found when it is needed --------===//
#include "runtime/device/ane/objc.h"

#include "absl/strings/str_cat.h"

#include <atomic>
#include <dlfcn.h>
#include <mutex>

namespace ane::rt::objc {
namespace {

/// objc_setExceptionPreprocessor: sees each exception of the process before it is thrown, and gives what is thrown.
using Preprocessor = Id (*)(Id);
using SetPreprocessor = Preprocessor(Preprocessor);

/// Of the process, since exceptions are; who was asked before is asked still.
struct Exceptions {
  std::once_flag areSeen;
  Runtime runtime;
  std::atomic<Preprocessor> next{nullptr};
};
Exceptions &exceptions() {
  static auto *all = new Exceptions; // exceptions come to the end of the process
  return *all;
}

} // namespace

absl::StatusOr<Libraries> Libraries::open(const std::vector<std::string> &paths) {
  Libraries libraries;
  for (const std::string &path : paths) {
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!handle)
      return absl::UnimplementedError(absl::StrCat("the framework cannot be loaded: ", dlerror()));
    libraries.handles.push_back(handle);
  }
  return libraries;
}

void *Libraries::symbol(const char *name) const {
  for (void *handle : handles)
    if (void *found = dlsym(handle, name))
      return found;
  return nullptr;
}

absl::StatusOr<Runtime> Runtime::in(const Libraries &libraries) {
  Runtime runtime;
  runtime.getClass = libraries.function<Id(const char *)>("objc_getClass");
  runtime.registerName = libraries.function<Selector(const char *)>("sel_registerName");
  runtime.lookUp = libraries.function<void *(Id, Selector)>("objc_msg_lookup");
  if (!runtime.lookUp)
    runtime.messageSend = libraries.symbol("objc_msgSend");
  runtime.poolPush = libraries.function<void *()>("objc_autoreleasePoolPush");
  runtime.poolPop = libraries.function<void(void *)>("objc_autoreleasePoolPop");
  if (!runtime.getClass || !runtime.registerName || (!runtime.messageSend && !runtime.lookUp))
    return absl::UnimplementedError("there is no Objective-C runtime here");
  auto *setPreprocessor = libraries.function<SetPreprocessor>("objc_setExceptionPreprocessor");
  if (setPreprocessor)
    std::call_once(exceptions().areSeen, [&] {
      exceptions().runtime = runtime;
      exceptions().next = setPreprocessor(noteException);
    });
  return runtime;
}

std::string &Runtime::raised() {
  thread_local std::string text;
  return text;
}

Id Runtime::noteException(Id exception) {
  const Runtime &runtime = exceptions().runtime;
  const Runtime::Pool pool(runtime);
  std::string text;
  for (const char *part : {"name", "reason"})
    if (runtime.responds(exception, part))
      if (Id said = runtime.send(exception, part))
        if (const char *utf8 = runtime.send<const char *>(said, "UTF8String"))
          absl::StrAppend(&text, ": ", utf8);
  raised() = std::move(text);
  Preprocessor next = exceptions().next;
  return next ? next(exception) : exception;
}

Runtime::Pool::Pool(const Runtime &runtime) : runtime(runtime) {
  if (runtime.poolPush && runtime.poolPop)
    pool = runtime.poolPush();
  else
    pool = runtime.send<void *>(runtime.classNamed("NSAutoreleasePool"), "new");
}

Runtime::Pool::~Pool() {
  if (runtime.poolPush && runtime.poolPop)
    runtime.poolPop(pool);
  else
    runtime.send<void>(static_cast<Id>(pool), "drain");
}

} // namespace ane::rt::objc
