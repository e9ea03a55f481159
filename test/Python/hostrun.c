//===- hostrun.c - calls one function of a host library -------------------===//
//
// hostrun LIBRARY WEIGHTS SYMBOL ARENA_BYTES (i|o) PATH BYTES ...
//
// The smallest loader that host_abi.h allows: it needs a C library only, so that code for other machines runs under an
// emulator of their processor. Arguments are files of raw elements; virtual threads run one after another.
//
//===----------------------------------------------------------------------===//
#include "ane/runtime/host_abi.h"
#include "hostmacho.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kThreads = 3 };
static int32_t current;

static void forkCall(void *loc, int32_t argc, void *microtask, void *ctx) {
  (void)loc;
  for (current = 0; current < kThreads; ++current) {
    int32_t gtid = current, btid = current;
    ((ane_host_microtask)microtask)(&gtid, &btid, argc ? ctx : NULL);
  }
  current = 0;
}
static int32_t globalThreadNum(void *loc) {
  (void)loc;
  return current;
}
static void staticInit(void *loc, int32_t gtid, int32_t sched, int32_t *last, uint64_t *lb, uint64_t *ub,
                       int64_t *stride, int64_t incr, int64_t chunk) {
  (void)loc, (void)sched, (void)incr, (void)chunk;
  uint64_t low = *lb, count = *ub - low + 1, begin = count * gtid / kThreads, end = count * (gtid + 1) / kThreads;
  *last = gtid == kThreads - 1;
  *stride = (int64_t)count;
  *lb = begin == end ? 1 : low + begin;
  *ub = begin == end ? 0 : low + end - 1;
}
static void nothing(void *loc, int32_t gtid) { (void)loc, (void)gtid; }

static const ane_host_table table = {
    ANE_HOST_ABI_VERSION, sizeof(ane_host_table), forkCall, globalThreadNum, staticInit, nothing, nothing};

static void fail(const char *what, const char *why) {
  fprintf(stderr, "hostrun: %s: %s\n", what, why);
  exit(1);
}

static void *memory(size_t bytes, int fill) {
  void *data =
      aligned_alloc(ANE_HOST_ALIGNMENT, (bytes + ANE_HOST_ALIGNMENT) / ANE_HOST_ALIGNMENT * ANE_HOST_ALIGNMENT);
  if (!data)
    fail("memory", "out of it");
  return memset(data, fill, bytes);
}

/// A library of this system, or of macOS.
struct library {
  void *handle;
  struct macho_image image;
};

static struct library loadLibrary(const char *path) {
  struct library library = {0};
  struct stat info;
  uint32_t magic = 0;
  int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &info) || read(file, &magic, sizeof magic) != sizeof magic)
    fail(path, "cannot be read");
  if (magic == kMachO) {
    const char *wrong = machoLoad(file, (size_t)info.st_size, &library.image);
    if (wrong)
      fail(path, wrong);
  } else if (!(library.handle = dlopen(path, RTLD_NOW))) {
    fail(path, dlerror());
  }
  close(file);
  return library;
}

static void *find(const struct library *library, const char *symbol) {
  return library->handle ? dlsym(library->handle, symbol) : machoFind(&library->image, symbol);
}

int main(int argc, char **argv) {
  enum { kArguments = 64 };
  if (argc < 5 || (argc - 5) % 3 || (argc - 5) / 3 > kArguments)
    fail("usage", "hostrun LIBRARY WEIGHTS SYMBOL ARENA_BYTES (i|o) PATH BYTES ...");
  struct library library = loadLibrary(argv[1]);
  ane_host_abi_fn abi = (ane_host_abi_fn)find(&library, ANE_HOST_ABI_SYMBOL);
  ane_host_init_fn init = (ane_host_init_fn)find(&library, ANE_HOST_INIT_SYMBOL);
  ane_host_fn function = (ane_host_fn)find(&library, argv[3]);
  if (!abi || !init || !function || abi() != ANE_HOST_ABI_VERSION)
    fail(argv[1], "not what host_abi.h says");
  init(&table);

  int file = open(argv[2], O_RDONLY);
  struct stat info;
  if (file < 0 || fstat(file, &info))
    fail(argv[2], "cannot be opened");
  const void *weights = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (weights == MAP_FAILED)
    fail(argv[2], "cannot be mapped");

  int count = (argc - 5) / 3;
  char **spec = argv + 5;
  void *arguments[kArguments];
  for (int i = 0; i < count; ++i) {
    size_t bytes = (size_t)atoll(spec[3 * i + 2]);
    arguments[i] = memory(bytes, 0xA5);
    if (spec[3 * i][0] != 'i')
      continue;
    FILE *in = fopen(spec[3 * i + 1], "rb");
    if (!in || fread(arguments[i], 1, bytes, in) != bytes)
      fail(spec[3 * i + 1], "cannot be read");
    fclose(in);
  }
  ane_host_context context = {&weights, memory((size_t)atoll(argv[4]), 0xFF)};
  function(arguments, &context);
  for (int i = 0; i < count; ++i) {
    if (spec[3 * i][0] == 'i')
      continue;
    size_t bytes = (size_t)atoll(spec[3 * i + 2]);
    FILE *out = fopen(spec[3 * i + 1], "wb");
    if (!out || fwrite(arguments[i], 1, bytes, out) != bytes || fclose(out))
      fail(spec[3 * i + 1], "cannot be written");
  }
  return 0;
}
