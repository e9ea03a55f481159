// Modules of Objective-C that clang has compiled for the newer GNUstep runtime, on GCC's, which Debian has.
//
// Subscripts of dictionaries, synthesized properties, instance variables beside an implementation and ARC, all of which
// clients use, clang refuses for GCC's runtime. What it emits for -fobjc-runtime=gnustep-1.5 differs from GCC's in few
// places, and those are mended here: a module's version, where instance variables lie, and how a method is looked up.
// libobjc2, which would do it, is not in Debian 12 (simulated-framework.md).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <objc/message.h>
#include <objc/runtime.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kModuleOfGcc = 8, kProtocolOfGcc = 2, kInConstruction = 0x10 };

struct Module {
  unsigned long version, size;
  const char *name;
  struct Symbols *symbols;
};

struct Protocols {
  struct Protocols *next;
  size_t count;
  struct ProtocolOf *list[];
};

struct ProtocolOf {
  uintptr_t version; ///< until the runtime makes it a class
  const char *name;
  struct Protocols *protocols;
};

struct Variables {
  int count;
  struct {
    const char *name, *type;
    int offset;
  } list[];
};

/// Up to the kind of its garbage collection it is what GCC has.
struct ClassOf {
  struct ClassOf *isa;
  const char *superName; ///< until it is linked
  const char *name;
  long version, info, size;
  struct Variables *variables;
  void *methods, *table, *subclasses, *siblings;
  struct Protocols *protocols;
  void *collected;
  long abi;
  int **offsets; ///< what code reads to find a variable
};

struct Category {
  const char *name, *className;
  void *methods, *classMethods;
  struct Protocols *protocols;
};

struct Statics {
  const char *className;
  void *instances[];
};

struct Symbols {
  unsigned long selectorCount;
  void *selectors;
  unsigned short classes, categories;
  void *definitions[];
};

/// The classes of such modules. Once registered, a class has no longer its superclass's name.
static struct Own {
  struct ClassOf *made;
  const char *superName;
  int isPlaced;
} *own;
static size_t owned;

/// Null: nobody has seen it yet, or it has no place yet.
static struct ClassOf *known(const char *name) {
  for (size_t i = 0; i < owned; ++i)
    if (strcmp(own[i].made->name, name) == 0)
      return own[i].isPlaced ? own[i].made : NULL;
  return (struct ClassOf *)objc_lookUpClass(name);
}

/// Variables follow those of the superclass, however many that has where the program runs.
static void place(struct ClassOf *made, const struct ClassOf *super) {
  // A newer object ends where a variable can't be aligned.
  const long start = super ? (super->size + 15) / 16 * 16 : 0;
  for (int i = 0; made->variables && i < made->variables->count; ++i) {
    made->variables->list[i].offset += (int)start;
    if (made->offsets)
      *made->offsets[i] = made->variables->list[i].offset;
  }
  made->size = start - made->size;
}

/// Until no other superclass is found.
static void placeThoseThatCanBe(void) {
  for (size_t i = 0; i < owned; ++i) {
    const struct ClassOf *super = own[i].superName ? known(own[i].superName) : NULL;
    if (own[i].isPlaced || (own[i].superName && !super))
      continue;
    place(own[i].made, super);
    own[i].isPlaced = 1;
    i = (size_t)-1;
  }
}

static void mendProtocols(struct Protocols *list) {
  for (; list; list = list->next)
    for (size_t i = 0; i < list->count; ++i)
      if (list->list[i]->version == 3) {
        list->list[i]->version = kProtocolOfGcc;
        mendProtocols(list->list[i]->protocols);
      }
}

static void mend(struct Symbols *symbols) {
  void **definition = symbols->definitions;
  own = realloc(own, (owned + symbols->classes) * sizeof *own);
  for (unsigned i = 0; i < symbols->classes; ++i) {
    struct ClassOf *made = *definition++;
    mendProtocols(made->protocols);
    made->info &= ~kInConstruction;
    made->isa->info &= ~kInConstruction;
    if (made->size <= 0)
      own[owned++] = (struct Own){made, made->superName, 0};
  }
  for (unsigned i = 0; i < symbols->categories; ++i)
    mendProtocols(((struct Category *)*definition++)->protocols);
  for (struct Statics **statics = *definition; statics && *statics; ++statics)
    for (void **instance = (*statics)->instances; strcmp((*statics)->className, "Protocol") == 0 && *instance;
         ++instance) {
      struct ProtocolOf *protocol = *instance;
      mendProtocols(protocol->protocols);
      if (protocol->version == 3)
        protocol->version = kProtocolOfGcc;
    }
}

/// What a module calls when it is loaded. Hidden: modules that GCC has compiled call the runtime's.
__attribute__((visibility("hidden"))) void __objc_exec_class(struct Module *module) {
  static void (*registered)(struct Module *);
  if (!registered)
    registered = (void (*)(struct Module *))dlsym(RTLD_DEFAULT, "__objc_exec_class");
  mend(module->symbols);
  placeThoseThatCanBe(); // before anybody makes an object
  struct Module *made = malloc(sizeof *made);
  *made = (struct Module){kModuleOfGcc, sizeof *made, module->name, module->symbols};
  registered(made);
}

struct Slot {
  Class owner, cachedFor;
  const char *types;
  int version;
  IMP method;
};

/// Read at once by who asks.
static __thread struct Slot slot;

struct Slot *objc_msg_lookup_sender(id *receiver, SEL selector, id sender) {
  (void)sender;
  slot.method = objc_msg_lookup(*receiver, selector);
  return &slot;
}

struct Slot *objc_slot_lookup_super(struct objc_super *super, SEL selector) {
  slot.method = objc_msg_lookup_super(super, selector);
  return &slot;
}

Class *objc_copyClassList(unsigned int *count) {
  const int known = objc_getClassList(NULL, 0);
  Class *classes = calloc((size_t)known + 1, sizeof *classes);
  objc_getClassList(classes, known);
  if (count)
    *count = (unsigned int)known;
  return classes;
}
