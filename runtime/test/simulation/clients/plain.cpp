// A client in C++ alone: the runtime's C functions, no compiler of Objective-C.
#ifndef __APPLE__
#error "for a Mac"
#endif
#include <IOSurface/IOSurface.h>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <objc/message.h>
#include <objc/objc.h>
#include <objc/runtime.h>
#include <string>
#include <sys/stat.h>

extern "C" void *objc_autoreleasePoolPush(void);
extern "C" void objc_autoreleasePoolPop(void *);

namespace {

SEL sel(const char *name) { return sel_registerName(name); }
Class cls(const char *name) { return (Class)objc_getClass(name); }

template <typename Result = id, typename Receiver, typename... Arguments>
Result call(Receiver receiver, const char *name, Arguments... arguments) {
  return ((Result(*)(Receiver, SEL, Arguments...))objc_msgSend)(receiver, sel(name), arguments...);
}

id number(unsigned long value) { return call(cls("NSNumber"), "numberWithUnsignedLong:", value); }

IOSurfaceRef surface(size_t bytes) {
  id keys[] = {(id)kIOSurfaceWidth,       (id)kIOSurfaceHeight,    (id)kIOSurfaceBytesPerElement,
               (id)kIOSurfaceBytesPerRow, (id)kIOSurfaceAllocSize, (id)kIOSurfacePixelFormat};
  id values[] = {number(bytes), number(1), number(1), number(bytes), number(bytes), number(0)};
  id dictionary = call(cls("NSDictionary"), "dictionaryWithObjects:forKeys:count:", (id *)values, (id *)keys, 6ul);
  return IOSurfaceCreate((CFDictionaryRef)dictionary);
}

void save(const std::string &path, const std::string &text) {
  if (FILE *file = fopen(path.c_str(), "wb")) {
    fwrite(text.data(), 1, text.size(), file);
    fclose(file);
  }
}

} // namespace

int main() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!dlopen("/System/Library/PrivateFrameworks/AppleNeuralEngine.framework/AppleNeuralEngine", RTLD_NOW))
      fprintf(stderr, "%s\n", dlerror());
  });
  void *pool = objc_autoreleasePoolPush();
  const std::string text =
      "program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1, 8, 1, 64]> b, tensor<fp16, [1, 8, 1, 64]> a) {\n"
      "tensor<fp16, [1, 8, 1, 64]> y = sub(x = a, y = b)[name = string(\"y\")];\n} -> (y);\n}\n";
  id data = call(cls("NSData"), "dataWithBytes:length:", (const void *)text.data(), (unsigned long)text.size());
  id nothing = call(cls("NSDictionary"), "dictionary");
  id descriptor =
      call(cls("_ANEInMemoryModelDescriptor"), "modelWithMILText:weights:optionsPlist:", data, nothing, (id) nullptr);
  id model = call(call(cls("_ANEInMemoryModel"), "inMemoryModelWithDescriptor:", descriptor), "retain");
  const char *tmp = getenv("TMPDIR");
  const std::string folder =
      std::string(tmp ? tmp : "/tmp") + "/" + call<const char *>(call(model, "hexStringIdentifier"), "UTF8String");
  mkdir(folder.c_str(), 0755);
  save(folder + "/model.mil", text);
  id error = nullptr;
  if (!call<bool>(model, "compileWithQoS:options:error:", 21u, nothing, &error) ||
      !call<bool>(model, "loadWithQoS:options:error:", 21u, nothing, &error)) {
    printf("%s\n", call<const char *>(call(error, "description"), "UTF8String"));
    return 1;
  }
  IOSurfaceRef surfaces[3];
  id objects[3], indices[2] = {number(0), number(1)};
  for (int i = 0; i < 3; ++i) {
    surfaces[i] = surface(8 * 64 * 2);
    objects[i] = call(cls("_ANEIOSurfaceObject"), "objectWithIOSurface:", surfaces[i]);
    if (IOSurfaceLock(surfaces[i], 0, nullptr) != kIOReturnSuccess)
      return 1;
    auto *values = static_cast<_Float16 *>(IOSurfaceGetBaseAddress(surfaces[i]));
    for (int j = 0; j < 512; ++j)
      values[j] = static_cast<_Float16>(i + 1); // a is 1, b is 2
    IOSurfaceUnlock(surfaces[i], 0, nullptr);
  }
  auto array = [](id *of, unsigned long count) { return call(cls("NSArray"), "arrayWithObjects:count:", of, count); };
  id request = call(
      cls("_ANERequest"),
      "requestWithInputs:inputIndices:outputs:outputIndices:weightsBuffer:perfStats:procedureIndex:", array(objects, 2),
      array(indices, 2), array(objects + 2, 1), array(indices, 1), (id) nullptr, (id) nullptr, number(0));
  const bool done = call<bool>(model, "evaluateWithQoS:options:request:error:", 21u, nothing, request, &error);
  IOSurfaceLock(surfaces[2], kIOSurfaceLockReadOnly, nullptr);
  printf("evaluate %d: %g\n", done,
         static_cast<double>(static_cast<_Float16 *>(IOSurfaceGetBaseAddress(surfaces[2]))[7]));
  IOSurfaceUnlock(surfaces[2], kIOSurfaceLockReadOnly, nullptr);
  call<bool>(model, "unloadWithQoS:error:", 21u, &error);
  call<void>(model, "release");
  objc_autoreleasePoolPop(pool);
  for (IOSurfaceRef each : surfaces)
    CFRelease(each);
  return 0;
}
