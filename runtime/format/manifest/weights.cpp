//===- weights.cpp - Weights and their stored forms -----------------------===//
#include "runtime/format/manifest/weights.h"
#include "absl/strings/str_join.h"
#include "runtime/format/manifest/diagnostic.h"
#include "runtime/support/half.h"
#include <algorithm>
#include <cstring>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace ane::rt::manifest {

/// No register file holds more.
static constexpr int64_t kMaxColumns = 4096;

absl::StatusOr<const Weight *> findWeight(const Manifest &manifest, const std::string &name) {
  std::vector<std::string> some;
  for (const Weight &weight : manifest.weights) {
    if (weight.name == name)
      return &weight;
    if (some.size() < 5)
      some.push_back(quote(weight.name));
  }
  return absl::NotFoundError(absl::StrCat(
      "the bundle has no weight ", quote(name), "; it has ", manifest.weights.size(), some.empty() ? "" : ", such as ",
      absl::StrJoin(some, ", "),
      "; initializers of less than 1 KiB are constants of the code, unless ane-compile --trainable names them"));
}

//===-- forms -------------------------------------------------------------===//

namespace {

/// Converts and hands on elements of a weight.
class Maker {
public:
  Maker(const Weight &weight, const StoredWeight &stored, const uint8_t *from, uint8_t *to)
      : stored(stored), from(from), to(to), width(byteWidth(weight.type.dtype)), narrows(isNarrowed(weight, stored)) {}

  /// `count` elements, `stride` apart.
  void run(int64_t index, int64_t count, int64_t stride) {
    const uint8_t *source = from + index * width;
    if (narrows)
      return narrow(source, count, stride);
    if (stride == 1) {
      std::memcpy(to, source, static_cast<size_t>(count * width));
      to += count * width;
      return;
    }
    switch (width) {
    case 1:
      return copy<1>(source, count, stride);
    case 2:
      return copy<2>(source, count, stride);
    case 4:
      return copy<4>(source, count, stride);
    default:
      return copy<8>(source, count, stride);
    }
  }

  /// `rows` rows of `count` elements that are `stride` apart, each with `padding` zeros behind it, and each beginning
  /// one element behind the last. Many rows at a time, as their elements lie side by side: one by one, each would read
  /// all of the memory.
  void transpose(int64_t index, int64_t rows, int64_t count, int64_t stride, int64_t padding) {
    if (width != 4) {
      for (int64_t row = 0; row < rows; ++row) {
        run(index + row, count, stride);
        zeros(padding);
      }
      return;
    }
    const int64_t wide = byteWidth(stored.dtype), pitch = (count + padding) * wide;
    for (int64_t row = 0; row < rows; row += kTileRows) {
      const int64_t height = std::min(kTileRows, rows - row);
      for (int64_t column = 0; column < count; column += kTileColumns)
        transposeTile(from + (index + row + column * stride) * 4, stride * 4, to + row * pitch + column * wide, pitch,
                      height, std::min(kTileColumns, count - column));
      for (int64_t i = row; i < row + height; ++i)
        std::memset(to + i * pitch + count * wide, 0, static_cast<size_t>(padding * wide));
    }
    to += rows * pitch;
  }

  void zeros(int64_t count) {
    int64_t bytes = count * byteWidth(stored.dtype);
    std::memset(to, 0, static_cast<size_t>(bytes));
    to += bytes;
  }

private:
  template <int64_t Width>
  void copy(const uint8_t *source, int64_t count, int64_t stride) {
    for (int64_t i = 0; i < count; ++i, to += Width)
      std::memcpy(to, source + i * stride * Width, Width);
  }

  static constexpr int64_t kTileRows = 16, kTileColumns = 64; // a line of a cache is 16 floats

  void transposeTile(const uint8_t *source, int64_t step, uint8_t *target, int64_t pitch, int64_t rows,
                     int64_t columns) {
    uint32_t tile[kTileRows][kTileColumns], line[kTileRows];
    for (int64_t column = 0; column < columns; ++column) {
      std::memcpy(line, source + column * step, static_cast<size_t>(rows) * 4);
      for (int64_t row = 0; row < rows; ++row)
        tile[row][column] = line[row];
    }
    for (int64_t row = 0; row < rows; ++row)
      if (narrows) {
        float values[kTileColumns];
        uint16_t halves[kTileColumns];
        std::memcpy(values, tile[row], static_cast<size_t>(columns) * 4);
        narrowToHalf(values, halves, columns);
        std::memcpy(target + row * pitch, halves, static_cast<size_t>(columns) * 2);
      } else {
        std::memcpy(target + row * pitch, tile[row], static_cast<size_t>(columns) * 4);
      }
  }

  void narrow(const uint8_t *source, int64_t count, int64_t stride) {
    constexpr int64_t part = 256;
    float values[part];
    uint16_t halves[part];
    for (int64_t first = 0; first < count; first += part) {
      int64_t size = std::min(part, count - first);
      for (int64_t i = 0; i < size; ++i)
        std::memcpy(values + i, source + (first + i) * stride * 4, 4);
      narrowToHalf(values, halves, size);
      std::memcpy(to, halves, static_cast<size_t>(size) * 2);
      to += size * 2;
    }
  }

  const StoredWeight &stored;
  const uint8_t *from;
  uint8_t *to;
  int64_t width;
  bool narrows;
};

/// Calls `visit` with the place in the weight, from `base` on, of each index of dimensions [first, last) of `stored`.
template <typename Fn>
void forEachIndex(const StoredWeight &stored, size_t first, size_t last, int64_t base, Fn &&visit) {
  std::vector<int64_t> index(last, 0);
  while (true) {
    visit(base);
    size_t d = last;
    while (d > first) {
      --d;
      base += stored.strides[d];
      if (++index[d] < stored.shape[d])
        break;
      base -= stored.strides[d] * stored.shape[d];
      index[d] = 0;
      if (d == first)
        return;
    }
    if (first == last)
      return;
  }
}

} // namespace

bool isNarrowed(const Weight &weight, const StoredWeight &stored) {
  return weight.type.dtype == ElementType::Float32 && stored.dtype == ElementType::Float16;
}

std::string whyFixed(const Weight &weight) {
  if (weight.encoding == kListedEncoding)
    return "the model's file has its elements as a list of numbers; a weight can be set that is stored as bytes there "
           "(raw_data in an ONNX model)";
  if (weight.stored.empty())
    return "no file of the bundle holds it, the compiler has computed with it";
  for (const StoredWeight &stored : weight.stored)
    if (!stored.fixed.empty())
      return absl::StrCat("what ", stored.file, " has of it at ", stored.offset, " is fixed: ", stored.fixed);
  return "";
}

int64_t elementCount(const StoredWeight &stored) {
  int64_t count = elementCount(stored.shape);
  if (stored.columns == 0 || count == 0)
    return count;
  int64_t n = stored.shape.back();
  return count / n * ((n + stored.columns - 1) / stored.columns * stored.columns);
}

void makeStored(const Weight &weight, const StoredWeight &stored, const uint8_t *from, uint8_t *to) {
  if (stored.bytes == 0)
    return;
  Maker maker(weight, stored, from, to);
  if (stored.shape.empty())
    return maker.run(stored.base, 1, 1);
  const size_t rank = stored.shape.size();
  const int64_t n = stored.shape.back(), step = stored.strides.back();
  // Rows of dimensions from `first` on, of `count` elements and as many zeros as they have `padding`.
  auto makeRows = [&](size_t first, int64_t base, int64_t count, int64_t padding) {
    if (step != 1 && rank >= first + 2 && stored.strides[rank - 2] == 1)
      return forEachIndex(stored, first, rank - 2, base,
                          [&](int64_t rows) { maker.transpose(rows, stored.shape[rank - 2], count, step, padding); });
    forEachIndex(stored, first, rank - 1, base, [&](int64_t row) {
      maker.run(row, count, step);
      maker.zeros(padding);
    });
  };
  if (stored.columns == 0)
    return makeRows(0, stored.base, n, 0);
  for (int64_t matrix = 0; matrix < stored.shape[0]; ++matrix)
    for (int64_t column = 0; column < n; column += stored.columns)
      makeRows(1, stored.base + matrix * stored.strides[0] + column * step, std::min(stored.columns, n - column),
               std::max<int64_t>(stored.columns - (n - column), 0));
}

//===-- verification ------------------------------------------------------===//

namespace {

/// Whether all elements that `stored` names are of a weight of `count` elements.
absl::Status checkView(const std::string &where, const StoredWeight &stored, int64_t count) {
  if (stored.shape.size() != stored.strides.size())
    return errorAt(where, "shape has ", stored.shape.size(), " dimensions and strides ", stored.strides.size());
  ANE_RETURN_IF_ERROR(checkShape(where + ".shape", stored.shape));
  if (stored.columns < 0 || stored.columns > kMaxColumns || (stored.columns > 0 && stored.shape.size() < 2))
    return errorAt(where + ".columns", "is ", stored.columns, " of a form of shape ", shapeText(stored.shape),
                   ", expected 0, or more for matrices");
  // Bounds first: products must not overflow.
  int64_t lowest = stored.base, highest = stored.base;
  if (stored.base < 0 || stored.base > kMaxElements)
    return errorAt(where + ".base", "is ", stored.base, ", the weight has ", count, " elements");
  for (size_t i = 0; i < stored.shape.size(); ++i) {
    int64_t steps = std::max<int64_t>(stored.shape[i] - 1, 0);
    if (stored.strides[i] > kMaxElements || stored.strides[i] < -kMaxElements ||
        (steps > 0 && std::abs(stored.strides[i]) > kMaxElements / steps))
      return errorAt(at(where + ".strides", i), "is ", stored.strides[i], ", beyond the weight's ", count, " elements");
    (stored.strides[i] < 0 ? lowest : highest) += steps * stored.strides[i];
  }
  if (elementCount(stored.shape) > 0 && (lowest < 0 || highest >= count))
    return errorAt(where, "names elements ", lowest, " to ", highest, " of a weight of ", count);
  return absl::OkStatus();
}

absl::Status checkStored(const std::string &where, const Weight &weight, const StoredWeight &stored) {
  ANE_RETURN_IF_ERROR(checkView(where, stored, elementCount(weight.type.shape)));
  if (stored.dtype != weight.type.dtype && !isNarrowed(weight, stored))
    return errorAt(where + ".dtype", "is ", std::string(numpyName(stored.dtype)), ", the weight has ",
                   std::string(numpyName(weight.type.dtype)), "; only float32 may become float16");
  int64_t elements = elementCount(stored), width = byteWidth(stored.dtype);
  if (elements > kMaxElements || stored.bytes != elements * width)
    return errorAt(where + ".bytes", "is ", stored.bytes, ", ", elements, " elements of ",
                   std::string(numpyName(stored.dtype)), " have ", elements * width);
  return absl::OkStatus();
}

/// Looks up what the index of weights refers to.
class IndexVerifier {
public:
  explicit IndexVerifier(const Manifest &m) : m(m), hostWeights(m.hostWeights.begin(), m.hostWeights.end()) {
    for (const File &file : m.files)
      files[file.path] = file.bytes;
    for (const Program &program : m.programs)
      programs[program.name] = &program;
    for (const HostFunction &function : m.hostFunctions)
      functions.insert(function.name);
  }

  absl::Status run() {
    std::unordered_set<std::string> names;
    for (size_t i = 0; i < m.weights.size(); ++i) {
      const Weight &weight = m.weights[i];
      std::string where = at("$.weights", i);
      ANE_RETURN_IF_ERROR(checkName(where + ".name", weight.name));
      if (!names.insert(weight.name).second)
        return errorAt(where + ".name", quote(weight.name), " occurs twice");
      ANE_RETURN_IF_ERROR(checkShape(where + ".shape", weight.type.shape));
      ANE_RETURN_IF_ERROR(checkName(where + ".encoding", weight.encoding));
      if (weight.range && !(weight.range->first <= weight.range->second))
        return errorAt(where + ".range", "from ", weight.range->first, " to ", weight.range->second,
                       " is no range; the least element comes first");
      if (std::string why = whyFixed(weight); weight.trainable && !why.empty())
        return errorAt(where + ".trainable", "is true, but ", why);
      for (size_t k = 0; k < weight.stored.size(); ++k) {
        std::string place = at(where + ".stored", k);
        ANE_RETURN_IF_ERROR(checkPlace(place, weight.stored[k]));
        if (weight.stored[k].fixed.empty())
          ANE_RETURN_IF_ERROR(checkStored(place, weight, weight.stored[k]));
        spans.push_back({&weight.stored[k], std::move(place)});
      }
    }
    return checkOverlaps();
  }

private:
  absl::Status checkPlace(const std::string &where, const StoredWeight &stored) const {
    auto file = files.find(stored.file);
    if (file == files.end())
      return errorAt(where + ".file", quote(stored.file), " is not in $.files");
    if (stored.offset < 0 || stored.bytes < 0 || stored.offset > file->second ||
        stored.bytes > file->second - stored.offset)
      return errorAt(where, stored.bytes, " bytes at ", stored.offset, " are not in ", quote(stored.file), " of ",
                     file->second);
    ANE_RETURN_IF_ERROR(checkHash(where, stored.hash));
    // What is fixed may stand in a program's text.
    bool mayBeSet = stored.fixed.empty();
    for (const std::string &reader : stored.programs) {
      auto program = programs.find(reader);
      if (program == programs.end())
        return errorAt(where + ".programs", quote(reader), " is no program");
      const std::vector<std::string> &read = program->second->weights;
      if (mayBeSet && std::find(read.begin(), read.end(), stored.file) == read.end())
        return errorAt(where + ".programs", quote(reader), " does not read ", quote(stored.file));
    }
    for (const std::string &reader : stored.hostFunctions)
      if (!functions.count(reader))
        return errorAt(where + ".host_functions", quote(reader), " is no host function");
    if (mayBeSet && !stored.hostFunctions.empty() && !hostWeights.count(stored.file))
      return errorAt(where + ".host_functions", "read ", quote(stored.file), ", which is not in $.host_weights");
    return absl::OkStatus();
  }

  /// Bytes that are replaced belong to one weight. What is computed from several is
  /// listed with each.
  absl::Status checkOverlaps() {
    std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) {
      return std::tie(a.stored->file, a.stored->offset) < std::tie(b.stored->file, b.stored->offset);
    });
    const Span *last = nullptr, *lastSet = nullptr; // those that end last of what came before
    for (const Span &span : spans) {
      const StoredWeight &stored = *span.stored;
      if (stored.bytes == 0)
        continue;
      auto meets = [&](const Span *other) {
        return other && other->stored->file == stored.file &&
               other->stored->offset + other->stored->bytes > stored.offset;
      };
      bool mayBeSet = stored.fixed.empty();
      if (const Span *other = mayBeSet ? last : lastSet; meets(other))
        return errorAt(span.where, stored.bytes, " bytes at ", stored.offset, " of ", quote(stored.file),
                       " overlap those of ", other->where);
      auto extend = [&](const Span *&other) {
        if (!other || other->stored->file != stored.file ||
            other->stored->offset + other->stored->bytes < stored.offset + stored.bytes)
          other = &span;
      };
      extend(last);
      if (mayBeSet)
        extend(lastSet);
    }
    return absl::OkStatus();
  }

  struct Span {
    const StoredWeight *stored;
    std::string where;
  };
  const Manifest &m;
  std::unordered_map<std::string, int64_t> files;
  std::unordered_map<std::string, const Program *> programs;
  std::unordered_set<std::string> functions, hostWeights;
  std::vector<Span> spans;
};

} // namespace

absl::Status verifyWeights(const Manifest &m) { return IndexVerifier(m).run(); }

} // namespace ane::rt::manifest
