//===- hostmacho.h - loads the CPU code for Macs on Linux -----------------===//
//
// Maps a library's segments where there is room. That is all, as such code calls nothing and holds no address: what
// the loader of macOS would have to fix is an error here. Structures are those of Apple's <mach-o/loader.h>.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_TEST_HOSTMACHO_H
#define ANE_TEST_HOSTMACHO_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct macho_header {
  uint32_t magic, processor, subtype, kind, commands, bytes, flags, reserved;
};
struct macho_command {
  uint32_t kind, bytes;
};
struct macho_segment {
  struct macho_command command;
  char name[16];
  uint64_t address, size, offset, stored;
  int32_t most, protection;
  uint32_t sections, flags;
};
struct macho_data { // LC_DYLD_CHAINED_FIXUPS
  struct macho_command command;
  uint32_t offset, size;
};
struct macho_symbols {
  struct macho_command command;
  uint32_t offset, count, strings, string_bytes;
};
struct macho_symbol {
  uint32_t name;
  uint8_t type, section;
  uint16_t description;
  uint64_t value;
};
struct macho_fixups {
  uint32_t version, starts, imports, symbols, import_count;
};
enum { kMachO = 0xFEEDFACFu, kSegment = 0x19, kSymbols = 2, kFixups = 0x80000034u, kExecute = 4, kDefined = 0xE };

struct macho_image {
  char *base;       // where the code was mapped
  const char *file; // the whole file
  const struct macho_symbols *symbols;
};

/// Returns what is wrong, or null.
static const char *machoLoad(int file, size_t bytes, struct macho_image *image) {
  image->file = (const char *)mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (image->file == MAP_FAILED)
    return "cannot be mapped";
  const struct macho_header *header = (const struct macho_header *)image->file;
  const char *at = image->file + sizeof *header;
  uint64_t end = 0;
  for (uint32_t pass = 0; pass < 2; ++pass, at = image->file + sizeof *header) {
    if (pass == 1) {
      image->base = (char *)mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (image->base == MAP_FAILED)
        return "has no room";
    }
    for (uint32_t i = 0; i < header->commands; ++i, at += ((const struct macho_command *)at)->bytes) {
      uint32_t kind = ((const struct macho_command *)at)->kind;
      const struct macho_segment *segment = (const struct macho_segment *)at;
      if (kind == kSegment && pass == 0 && segment->address + segment->size > end)
        end = segment->address + segment->size;
      if (kind == kSegment && pass == 1) {
        memcpy(image->base + segment->address, image->file + segment->offset, segment->stored);
        int protection = segment->protection & kExecute ? PROT_READ | PROT_EXEC : segment->protection & 3;
        __builtin___clear_cache(image->base + segment->address, image->base + segment->address + segment->size);
        if (mprotect(image->base + segment->address, segment->size, protection))
          return "cannot be protected";
      }
      if (kind == kSymbols)
        image->symbols = (const struct macho_symbols *)at;
      if (kind == kFixups) {
        const char *data = image->file + ((const struct macho_data *)at)->offset;
        const struct macho_fixups *fixups = (const struct macho_fixups *)data;
        const uint32_t *starts = (const uint32_t *)(data + fixups->starts);
        for (uint32_t s = 1; s <= starts[0]; ++s)
          if (fixups->import_count || starts[s])
            return "holds addresses, which nobody fixes here";
      }
    }
  }
  return image->symbols ? NULL : "has no symbols";
}

static void *machoFind(const struct macho_image *image, const char *name) {
  const struct macho_symbol *symbols = (const struct macho_symbol *)(image->file + image->symbols->offset);
  for (uint32_t i = 0; i < image->symbols->count; ++i) {
    const char *own = image->file + image->symbols->strings + symbols[i].name;
    if ((symbols[i].type & kDefined) && own[0] == '_' && !strcmp(own + 1, name))
      return image->base + symbols[i].value;
  }
  return NULL;
}

#endif // ANE_TEST_HOSTMACHO_H
