//===- npz.cpp - NumPy's .npz files ---------------------------------------===//
#include "runtime/format/npz/npz.h"
#include "runtime/support/quote.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <unordered_map>
#include <zip.h>

namespace ane::rt::npz {
namespace {

constexpr std::string_view kSuffix = ".npy";
/// No model takes more arrays; a directory of the archive is as long as it says.
constexpr zip_int64_t kMaxMembers = 1 << 16;
/// Deflate's best is a match of 258 bytes in 2 bits.
constexpr zip_uint64_t kMaxRatio = 1032, kMaxPacked = zip_uint64_t(1) << 50;

struct CloseFile {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
using File = std::unique_ptr<zip_file_t, CloseFile>;

} // namespace

struct Archive::Impl {
  std::string name;
  MappedFile mapping; ///< of open()
  zip_t *zip = nullptr;
  std::vector<std::string> names;
  std::unordered_map<std::string, zip_uint64_t> places; ///< of the names

  ~Impl() {
    if (zip)
      zip_discard(zip);
  }

  absl::Status load(const uint8_t *data, uint64_t size);

  template <typename... Parts>
  absl::Status error(const Parts &...parts) const {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", parts...));
  }

  /// An array's file while it is unpacked.
  struct Member {
    std::string label; ///< for messages
    uint64_t bytes = 0;
    File file;
    std::vector<uint8_t> begin; ///< up to kMaxHeaderBytes of it
    npy::Header header;
  };
  absl::StatusOr<Member> openMember(const std::string &array) const;
  absl::Status fill(const Member &member, uint8_t *to, uint64_t bytes) const;
};

absl::Status Archive::Impl::load(const uint8_t *data, uint64_t size) {
  if (size == 0) // which the library takes for an archive without members
    return error("is no .npz file: it is empty");
  zip_error_t code;
  zip_error_init(&code);
  zip_source_t *source = zip_source_buffer_create(data, size, /*freep=*/0, &code);
  if (source) {
    zip = zip_open_from_source(source, ZIP_RDONLY, &code);
    if (!zip)
      zip_source_free(source);
  }
  absl::Status status =
      zip ? absl::OkStatus() : error("is no .npz file, or is damaged or cut off: ", zip_error_strerror(&code));
  zip_error_fini(&code);
  if (!status.ok())
    return status;
  zip_int64_t count = zip_get_num_entries(zip, 0);
  if (count > kMaxMembers)
    return error("has ", count, " members, limit ", kMaxMembers);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char *member = zip_get_name(zip, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_GUESS);
    if (!member)
      return error("member ", i, " has no name that can be read: ", zip_strerror(zip));
    std::string array = member;
    if (absl::EndsWith(array, absl::string_view(kSuffix.data(), kSuffix.size())))
      array.resize(array.size() - kSuffix.size());
    if (!places.emplace(array, static_cast<zip_uint64_t>(i)).second)
      return error("array ", quote(array), " occurs twice");
    names.push_back(std::move(array));
  }
  return absl::OkStatus();
}

absl::StatusOr<Archive::Impl::Member> Archive::Impl::openMember(const std::string &array) const {
  auto found = places.find(array);
  if (found == places.end()) {
    std::vector<std::string> some;
    for (size_t i = 0; i < std::min<size_t>(names.size(), 10); ++i)
      some.push_back(quote(names[i]));
    return absl::NotFoundError(absl::StrCat(name, ": has no array ", quote(array), "; it has ",
                                            some.empty() ? "none" : absl::StrJoin(some, ", "),
                                            names.size() > some.size() ? " and others" : ""));
  }
  Member member;
  member.label = absl::StrCat(name, ": array ", quote(array));
  auto fail = [&](const auto &...parts) {
    return absl::InvalidArgumentError(absl::StrCat(member.label, ": ", parts...));
  };
  zip_stat_t info;
  const zip_uint64_t index = found->second;
  constexpr zip_uint64_t needed =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(zip, index, 0, &info) != 0 || (info.valid & needed) != needed)
    return fail("has no description in the archive; the file is damaged");
  if (info.encryption_method != ZIP_EM_NONE)
    return fail("is encrypted, which NumPy's files never are");
  if (info.comp_method != ZIP_CM_STORE && info.comp_method != ZIP_CM_DEFLATE)
    return fail("is packed by method ", info.comp_method,
                "; save it with numpy.savez or numpy.savez_compressed (methods 0 and 8)");
  member.bytes = info.size;
  uint64_t most = info.comp_method == ZIP_CM_STORE ? info.comp_size : info.comp_size * kMaxRatio;
  if (info.comp_size > kMaxPacked || member.bytes > most)
    return fail("would have ", member.bytes, " bytes, unpacked from ", info.comp_size,
                ", which is more than can be; the file is damaged");
  member.file.reset(zip_fopen_index(zip, index, 0));
  if (!member.file)
    return fail("can't be unpacked: ", zip_strerror(zip));
  member.begin.resize(std::min<uint64_t>(member.bytes, npy::kMaxHeaderBytes));
  if (absl::Status status = fill(member, member.begin.data(), member.begin.size()); !status.ok())
    return status;
  absl::StatusOr<npy::Header> header =
      npy::parseHeader(member.begin.data(), member.begin.size(), member.bytes, member.label);
  if (!header.ok())
    return header.status();
  member.header = *std::move(header);
  return member;
}

/// The next bytes of a member.
absl::Status Archive::Impl::fill(const Member &member, uint8_t *to, uint64_t bytes) const {
  while (bytes > 0) {
    zip_int64_t got = zip_fread(member.file.get(), to, bytes);
    if (got <= 0)
      return absl::InvalidArgumentError(absl::StrCat(member.label, ": ",
                                                     got < 0 ? zip_file_strerror(member.file.get())
                                                             : absl::StrCat("ends before its ", member.bytes, " bytes"),
                                                     "; the file is damaged"));
    to += got;
    bytes -= static_cast<uint64_t>(got);
  }
  return absl::OkStatus();
}

Archive::Archive(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Archive::Archive(Archive &&other) noexcept = default;
Archive::~Archive() = default;

absl::StatusOr<Archive> Archive::open(const std::string &path) {
  absl::StatusOr<MappedFile> mapping = MappedFile::open(path);
  if (!mapping.ok())
    return mapping.status();
  auto impl = std::make_unique<Impl>();
  impl->name = path;
  impl->mapping = *std::move(mapping);
  if (absl::Status status = impl->load(impl->mapping.data(), impl->mapping.size()); !status.ok())
    return status;
  return Archive(std::move(impl));
}

absl::StatusOr<Archive> Archive::parse(const uint8_t *data, uint64_t size, const std::string &name) {
  auto impl = std::make_unique<Impl>();
  impl->name = name;
  if (absl::Status status = impl->load(data, size); !status.ok())
    return status;
  return Archive(std::move(impl));
}

const std::vector<std::string> &Archive::names() const { return impl->names; }

absl::StatusOr<npy::Header> Archive::header(const std::string &name) const {
  absl::StatusOr<Impl::Member> member = impl->openMember(name);
  if (!member.ok())
    return member.status();
  return std::move(member->header);
}

absl::StatusOr<npy::Array> Archive::read(const std::string &name, MemoryBudget &budget) const {
  absl::StatusOr<Impl::Member> member = impl->openMember(name);
  if (!member.ok())
    return member.status();
  npy::Header &header = member->header;
  if (absl::Status status = budget.take(static_cast<int64_t>(header.dataBytes), member->label); !status.ok())
    return status;
  npy::Array array{header.type, std::move(header.shape), {}};
  array.data.reserve(header.dataBytes);
  array.data.assign(member->begin.begin() + static_cast<int64_t>(header.bytes), member->begin.end());
  uint64_t present = array.data.size();
  array.data.resize(header.dataBytes);
  if (absl::Status status = impl->fill(*member, array.data.data() + present, header.dataBytes - present); !status.ok())
    return status;
  // The checksum is compared where the member ends.
  uint8_t beyond = 0;
  if (zip_int64_t got = zip_fread(member->file.get(), &beyond, 1); got != 0)
    return absl::InvalidArgumentError(absl::StrCat(
        member->label, ": ",
        got < 0 ? zip_file_strerror(member->file.get()) : absl::StrCat("goes on behind its ", member->bytes, " bytes"),
        "; the file is damaged"));
  if (array.type == ElementType::Bool)
    npy::normalizeBools(array.data.data(), array.data.size());
  return array;
}

} // namespace ane::rt::npz
