// coreml_tool MODEL...: reads each model.mlmodel and writes what was read as MODEL.again. A line for each on standard
// output: "ok", or the error.
#include "runtime/format/coreml/model.h"
#include "runtime/support/mapped_file.h"

#include <cstdio>
#include <fstream>

using namespace ane::rt;

static absl::Status copy(const std::string &path) {
  absl::StatusOr<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  absl::StatusOr<coreml::Model> model = coreml::parse({reinterpret_cast<const char *>(file->data()), file->size()});
  if (!model.ok())
    return model.status();
  absl::StatusOr<std::string> bytes = coreml::print(*model);
  if (!bytes.ok())
    return bytes.status();
  std::ofstream(path + ".again", std::ios::binary) << *bytes;
  return absl::OkStatus();
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    absl::Status status = copy(argv[i]);
    std::printf("%s\n", status.ok() ? "ok" : std::string(status.message()).c_str());
  }
}
