//===- state_file.cpp - States on disk ------------------------------------===//
#include "runtime/core/state_file.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/hash.h"
#include "runtime/support/output_file.h"
#include <cstring>

namespace ane::rt {
namespace {

constexpr std::string_view kMagic = "ANESTATE";
constexpr uint32_t kVersion = 1;
constexpr uint64_t kHashBytes = 32;

/// Numbers are written as the machine has them: all that run bundles are
/// little-endian, as weight files ask for.
template <typename T>
void append(std::string &out, T value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

void appendText(std::string &out, std::string_view text) {
  append(out, static_cast<uint32_t>(text.size()));
  out += text;
}

/// Indices of those that a file has: all but adapters.
std::vector<size_t> keptStates(const States &states) {
  std::vector<size_t> kept;
  for (size_t i = 0; i < states.all().size(); ++i)
    if (!states.all()[i].isAdapter)
      kept.push_back(i);
  return kept;
}

std::string headerOf(const States &states) {
  std::string out(kMagic);
  append(out, kVersion);
  std::vector<size_t> kept = keptStates(states);
  append(out, static_cast<uint32_t>(kept.size()));
  for (size_t index : kept) {
    const State &state = states.all()[index];
    const manifest::TensorType &type = state.record->type;
    appendText(out, state.record->name);
    appendText(out, numpyName(type.dtype));
    append(out, static_cast<uint32_t>(type.shape.size()));
    for (int64_t size : type.shape)
      append(out, size);
  }
  return out;
}

int64_t valueBytes(const States &states) {
  int64_t total = 0;
  for (size_t index : keptStates(states))
    total += states.all()[index].bytes;
  return total;
}

std::string hashOf(const uint8_t *data, uint64_t size) {
  Hash hash;
  hash.update(data, size);
  return hash.digest();
}

/// Reads a header that is not the expected one, for a message.
class Header {
public:
  Header(const uint8_t *data, uint64_t size) : data(data), left(size) {}

  template <typename T>
  T number() {
    T value{};
    if (const uint8_t *place = take(sizeof value))
      std::memcpy(&value, place, sizeof value);
    return value;
  }

  std::string text() {
    uint64_t size = number<uint32_t>();
    const uint8_t *place = take(size);
    std::string out;
    // As messages show names: without control characters.
    for (uint64_t i = 0; place && i < std::min<uint64_t>(size, 120); ++i)
      out += place[i] < 0x20 || place[i] == 0x7f ? '?' : static_cast<char>(place[i]);
    return out;
  }

  /// "key float32[1,2]"
  std::string state() {
    std::string out = absl::StrCat(text(), " ", text(), "[");
    uint64_t rank = number<uint32_t>();
    for (uint64_t i = 0; i < rank && ok && i < 16; ++i)
      absl::StrAppend(&out, i ? "," : "", number<int64_t>());
    return out + "]";
  }

  bool ok = true;

private:
  const uint8_t *take(uint64_t size) {
    ok = ok && size <= left;
    if (!ok)
      return nullptr;
    const uint8_t *place = data;
    data += size;
    left -= size;
    return place;
  }

  const uint8_t *data;
  uint64_t left;
};

/// How the states of a file, of which `header` begins with their number, differ.
std::string difference(const States &states, Header header) {
  uint32_t count = header.number<uint32_t>();
  std::vector<size_t> kept = keptStates(states);
  for (size_t i = 0; i < std::min<size_t>(count, kept.size()); ++i) {
    const manifest::State &record = *states.all()[kept[i]].record;
    std::string own = absl::StrCat(record.name, " ", manifest::typeText(record.type)), other = header.state();
    if (!header.ok)
      break;
    if (own != other)
      return absl::StrCat("state ", i, " is ", other, " there and ", own, " here");
  }
  return absl::StrCat("it has ", count, " states, the bundle has ", kept.size());
}

} // namespace

absl::Status saveStates(const States &states, const std::string &path) {
  auto file = OutputFile::create(path);
  if (!file.ok())
    return file.status();
  Hash hash;
  absl::Status status;
  auto write = [&](const void *data, uint64_t size) {
    if (!status.ok() || size == 0)
      return;
    hash.update(data, size);
    status = file->write(data, size);
  };
  std::string header = headerOf(states);
  write(header.data(), header.size());
  for (size_t index : keptStates(states))
    write(states.all()[index].now.dense, static_cast<uint64_t>(states.all()[index].bytes));
  if (status.ok())
    status = file->write(hash.digest().data(), kHashBytes);
  return status.ok() ? file->commitToDisk() : status;
}

absl::Status readStates(States &states, const uint8_t *data, uint64_t size, const std::string &name) {
  auto refuse = [&](const auto &...what) { return absl::InvalidArgumentError(absl::StrCat(name, ": ", what...)); };
  constexpr uint64_t prefix = kMagic.size() + sizeof kVersion;
  if (size < prefix || std::memcmp(data, kMagic.data(), kMagic.size()) != 0)
    return refuse("is no file of states; expected one that a session has saved");
  uint32_t version;
  std::memcpy(&version, data + kMagic.size(), sizeof version);
  if (version != kVersion)
    return refuse("is a file of states of version ", version, ", this runtime reads ", kVersion);
  if (size < prefix + kHashBytes ||
      hashOf(data, size - kHashBytes) !=
          std::string_view(reinterpret_cast<const char *>(data) + size - kHashBytes, kHashBytes))
    return absl::DataLossError(absl::StrCat(name, ": the hash at its end is not that of its ", size,
                                            " bytes: the file is damaged; save the states again"));
  uint64_t body = size - kHashBytes;
  std::string header = headerOf(states);
  if (body < header.size() || std::memcmp(data, header.data(), header.size()) != 0)
    return refuse("has the states of another model: ", difference(states, Header(data + prefix, body - prefix)));
  if (body - header.size() != static_cast<uint64_t>(valueBytes(states)))
    return refuse("has ", body - header.size(), " bytes of values, expected ", valueBytes(states));
  const uint8_t *value = data + header.size();
  for (size_t index : keptStates(states)) {
    if (absl::Status s = states.write(index, value, states.all()[index].bytes); !s.ok())
      return s;
    value += states.all()[index].bytes;
  }
  return absl::OkStatus();
}

absl::Status restoreStates(States &states, const std::string &path) {
  auto file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  return readStates(states, file->data(), file->size(), path);
}

} // namespace ane::rt
