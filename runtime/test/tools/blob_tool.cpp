//===- blob_tool.cpp - blob files on the command line ---------------------===//
#include "runtime/format/blob/blob.h"
#include "runtime/support/standard_output.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "ane/runtime/ane.h"

#include <cstdio>
#include <string>
#include <vector>

using namespace ane::rt;

namespace {

const char kUsage[] =
    "usage: blob-tool list FILE                          one line per blob: position dtype bytes offset\n"
    "                                                    padding elements\n"
    "       blob-tool extract FILE POSITION OUT          the payload of one blob\n"
    "       blob-tool write FILE DTYPE:ELEMENTS:RAW...   a blob file from raw payloads; prints the\n"
    "                                                    positions\n"
    "       blob-tool --version | --help\n";

absl::Status list(const std::string &path) {
  absl::StatusOr<blob::Reader> reader = blob::Reader::open(path);
  if (!reader.ok())
    return reader.status();
  absl::StatusOr<std::vector<blob::Blob>> blobs = reader->readAll();
  if (!blobs.ok())
    return blobs.status();
  for (const blob::Blob &blob : *blobs)
    std::printf("%llu %s %llu %llu %u %llu\n", static_cast<unsigned long long>(blob.position),
                std::string(milName(blob.type)).c_str(), static_cast<unsigned long long>(blob.bytes),
                static_cast<unsigned long long>(blob.offset), blob.paddingBits,
                static_cast<unsigned long long>(blob.elements()));
  return absl::OkStatus();
}

absl::Status extract(const std::string &path, const std::string &position, const std::string &out) {
  uint64_t at = 0;
  if (!absl::SimpleAtoi(position, &at))
    return absl::InvalidArgumentError("POSITION is not a number");
  absl::StatusOr<blob::Reader> reader = blob::Reader::open(path);
  if (!reader.ok())
    return reader.status();
  absl::StatusOr<blob::Blob> blob = reader->read(at);
  if (!blob.ok())
    return blob.status();
  return writeFile(out, blob->data, blob->bytes);
}

absl::Status write(const std::string &path, const std::vector<std::string> &specs) {
  absl::StatusOr<blob::Writer> writer = blob::Writer::create(path);
  if (!writer.ok())
    return writer.status();
  for (const std::string &spec : specs) {
    std::vector<std::string> parts = absl::StrSplit(spec, absl::MaxSplits(':', 2));
    uint64_t elements = 0;
    if (parts.size() != 3 || !elementTypeFromName(parts[0]) || !absl::SimpleAtoi(parts[1], &elements))
      return absl::InvalidArgumentError("expected DTYPE:ELEMENTS:RAW");
    absl::StatusOr<MappedFile> raw = MappedFile::open(parts[2]);
    if (!raw.ok())
      return raw.status();
    absl::StatusOr<uint64_t> position = writer->begin(*elementTypeFromName(parts[0]), elements);
    if (!position.ok())
      return position.status();
    // Two pieces, as a streaming producer would.
    uint64_t half = raw->size() / 2;
    for (absl::Status status :
         {writer->append(raw->data(), half), writer->append(raw->data() + half, raw->size() - half), writer->end()})
      if (!status.ok())
        return status;
    std::printf("%llu\n", static_cast<unsigned long long>(*position));
  }
  return writer->finish();
}

} // namespace

int main(int argc, char **argv) {
  writeToClosedPipes();
  std::vector<std::string> args(argv + 1, argv + argc);
  absl::Status status;
  if (args.size() == 1 && args[0] == "--version") {
    std::printf("blob-tool (Anemone) " ANE_VERSION "\n");
  } else if (args.size() == 1 && args[0] == "--help") {
    std::printf("%s", kUsage);
  } else if (args.size() == 2 && args[0] == "list") {
    status = list(args[1]);
  } else if (args.size() == 4 && args[0] == "extract") {
    status = extract(args[1], args[2], args[3]);
  } else if (args.size() >= 2 && args[0] == "write") {
    status = write(args[1], {args.begin() + 2, args.end()});
  } else {
    std::fprintf(stderr, "blob-tool: error: wrong arguments\n%s", kUsage);
    return 2;
  }
  if (status.ok() && !endStandardOutput())
    status = absl::DataLossError("can't write the output");
  if (status.ok())
    return 0;
  std::fprintf(stderr, "blob-tool: error: %s\n", std::string(status.message()).c_str());
  return 1;
}
