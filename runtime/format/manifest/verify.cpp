//===- verify.cpp - Consistency of a manifest's records -------------------===//
#include "absl/strings/str_join.h"
#include "runtime/format/manifest/diagnostic.h"
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ane::rt::manifest {

bool operator==(const TensorType &a, const TensorType &b) { return a.dtype == b.dtype && a.shape == b.shape; }

int64_t elementCount(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

bool areAlike(const Surface &a, const Surface &b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.rowStride == b.rowStride && a.expand == b.expand &&
         a.perm == b.perm && a.mask == b.mask;
}

std::string nameOf(const Program &program, const Procedure &procedure) {
  return program.procedures.size() == 1 ? program.name : absl::StrCat(program.name, ".", procedure.name);
}

int64_t dataElements(const Surface &surface) {
  return elementCount(surface.expand.empty() ? surface.shape : surface.expand);
}

std::string shapeText(const std::vector<int64_t> &shape) { return absl::StrCat("[", absl::StrJoin(shape, ","), "]"); }

int64_t byteCount(const TensorType &type) { return elementCount(type.shape) * byteWidth(type.dtype); }

std::string typeText(const TensorType &type) {
  return absl::StrCat(std::string(numpyName(type.dtype)), shapeText(type.shape));
}

std::string conditionText(const Condition &condition) {
  std::string text;
  if (condition.low && condition.high)
    text = absl::StrCat("from ", *condition.low, " to ", *condition.high);
  else if (condition.low || condition.high)
    text = absl::StrCat(condition.low ? "at least " : "at most ", condition.low ? *condition.low : *condition.high);
  if (condition.exact)
    absl::StrAppend(&text, text.empty() ? "" : " or ", "numbers of fp16");
  return text;
}

absl::Status checkName(const std::string &where, const std::string &name) {
  if (name.empty())
    return errorAt(where, "is empty");
  if (static_cast<int64_t>(name.size()) > kMaxNameLength)
    return errorAt(where, "has ", name.size(), " bytes, limit ", kMaxNameLength);
  if (name.find('\0') != std::string::npos)
    return errorAt(where, quote(name), " holds a NUL character");
  return absl::OkStatus();
}

absl::Status checkShape(const std::string &where, const std::vector<int64_t> &shape) {
  if (static_cast<int64_t>(shape.size()) > kMaxRank)
    return errorAt(where, "has rank ", shape.size(), ", limit ", kMaxRank);
  int64_t count = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0)
      return errorAt(at(where, i), "is ", shape[i], ", a dimension is at least 0; shapes are static");
    // A zero does not excuse the others: reordered they could still overflow.
    int64_t dim = std::max<int64_t>(shape[i], 1);
    if (dim > kMaxElements / count)
      return errorAt(where, shapeText(shape), " has more than ", kMaxElements, " elements");
    count *= dim;
  }
  return absl::OkStatus();
}

absl::Status checkHash(const std::string &where, const std::string &hash) {
  if (hash.size() != 32 || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
    return errorAt(where + ".xxh128", quote(hash), ", expected 32 lower-case hexadecimal digits");
  return absl::OkStatus();
}

namespace {

absl::Status checkBytes(const std::string &where, int64_t bytes) {
  if (bytes < 0 || bytes > kMaxBytes)
    return errorAt(where, "is ", bytes, ", expected 0 to ", kMaxBytes, " bytes");
  return absl::OkStatus();
}

/// A path of the manifest: relative, normal, and below the bundle.
absl::Status checkPath(const std::string &where, const std::string &path) {
  ANE_RETURN_IF_ERROR(checkName(where, path));
  if (path.front() == '/')
    return errorAt(where, quote(path), " is absolute; paths are relative to the bundle");
  size_t begin = 0;
  while (begin <= path.size()) {
    size_t end = std::min(path.find('/', begin), path.size());
    std::string part = path.substr(begin, end - begin);
    if (part == "..")
      return errorAt(where, quote(path), " leaves the bundle through '..'");
    if (part.empty() || part == ".")
      return errorAt(where, quote(path), " has an empty or '.' component; write the plain path");
    begin = end + 1;
  }
  if (path.find('\\') != std::string::npos)
    return errorAt(where, quote(path), " holds a backslash; separate by '/'");
  return absl::OkStatus();
}

/// A symbol goes to dlsym: letters, digits and the few others of C and LLVM.
absl::Status checkSymbol(const std::string &where, const std::string &symbol) {
  ANE_RETURN_IF_ERROR(checkName(where, symbol));
  for (char c : symbol)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '$')
      return errorAt(where, quote(symbol), " is no symbol; allowed are letters, digits, '_.$'");
  return absl::OkStatus();
}

int64_t widthOf(const Surface &surface) { return surface.shape.empty() ? 1 : surface.shape.back(); }

/// expand and perm say how the plan's tensor is reordered into the surface.
absl::Status checkLayout(const std::string &where, const Surface &surface) {
  if (surface.expand.size() != surface.perm.size())
    return errorAt(where, "expand has ", surface.expand.size(), " dimensions and perm ", surface.perm.size(),
                   "; they describe the same tensor");
  if (surface.expand.empty())
    return absl::OkStatus();
  ANE_RETURN_IF_ERROR(checkShape(where + ".expand", surface.expand));
  int64_t rows = elementCount(surface.shape) / widthOf(surface);
  int64_t elements = elementCount(surface.expand);
  if (elements == 0 || elements % rows != 0 || elements / rows > widthOf(surface))
    return errorAt(where, "expand ", shapeText(surface.expand), " has ", elements, " elements, shape ",
                   shapeText(surface.shape), " has ", rows, " rows of ", widthOf(surface),
                   "; the data must fill each row alike");
  std::vector<bool> seen(surface.perm.size());
  for (size_t i = 0; i < surface.perm.size(); ++i) {
    int64_t axis = surface.perm[i];
    if (axis < 0 || axis >= static_cast<int64_t>(seen.size()) || seen[axis])
      return errorAt(where + ".perm", shapeText(surface.perm), " is no permutation of 0 to ", seen.size() - 1);
    seen[axis] = true;
  }
  return absl::OkStatus();
}

absl::Status checkSurface(const std::string &where, const Surface &surface) {
  ANE_RETURN_IF_ERROR(checkName(where + ".name", surface.name));
  ANE_RETURN_IF_ERROR(checkShape(where + ".shape", surface.shape));
  if (elementCount(surface.shape) == 0)
    return errorAt(where + ".shape", shapeText(surface.shape), " cannot be a surface; it has no element");
  ANE_RETURN_IF_ERROR(checkLayout(where, surface));
  int64_t element = byteWidth(surface.dtype);
  int64_t width = widthOf(surface);
  int64_t row = width * element;
  int64_t rows = elementCount(surface.shape) / width;
  if (surface.rowStride % element != 0)
    return errorAt(where + ".row_stride", "is ", surface.rowStride, ", not a multiple of the ", element, " bytes of ",
                   std::string(numpyName(surface.dtype)));
  if (surface.rowStride < row)
    return errorAt(where + ".row_stride", "is ", surface.rowStride, " bytes, a row of ", width, " x ",
                   std::string(numpyName(surface.dtype)), " needs ", row);
  ANE_RETURN_IF_ERROR(checkBytes(where + ".bytes", surface.bytes));
  // rowStride > bytes is tested first because the product may overflow.
  if (surface.rowStride > surface.bytes || rows > surface.bytes / surface.rowStride)
    return errorAt(where + ".bytes", "is ", surface.bytes, ", ", rows, " rows of stride ", surface.rowStride,
                   " need more");
  return absl::OkStatus();
}

absl::Status checkConditions(const std::string &where, const std::vector<Condition> &conditions) {
  if (static_cast<int64_t>(conditions.size()) > kMaxConditions)
    return errorAt(where, "has ", conditions.size(), " entries, limit ", kMaxConditions);
  for (size_t i = 0; i < conditions.size(); ++i) {
    const Condition &condition = conditions[i];
    if (!condition.low && !condition.high && !condition.exact)
      return errorAt(at(where, i), "says nothing, expected low, high, or exact = true");
    for (auto [name, bound] : {std::pair(".low", condition.low), std::pair(".high", condition.high)})
      if (bound && !std::isfinite(*bound))
        return errorAt(at(where, i) + name, "is ", *bound, ", expected a finite number; no bound is left out");
    if (condition.low && condition.high && *condition.low > *condition.high)
      return errorAt(at(where, i), "no element is ", conditionText(condition), ": low is above high");
  }
  return absl::OkStatus();
}

absl::Status checkMask(const std::string &where, const Surface &surface) {
  const MaskRows &mask = surface.mask;
  if (mask == MaskRows())
    return absl::OkStatus();
  const int64_t elements = dataElements(surface);
  if (mask.extent < 1 || mask.inner < 1 || mask.extent > elements || elements % mask.extent != 0 ||
      elements / mask.extent % mask.inner != 0)
    return errorAt(where, "has rows of ", mask.extent, " elements ", mask.inner, " apart; the tensor has ", elements,
                   " elements, which are no such rows");
  if (!std::isfinite(mask.least) || mask.least >= 0)
    return errorAt(where + ".least", "is ", mask.least, ", expected a finite number below 0");
  if (surface.dtype != ElementType::Float16)
    return errorAt(where, "is for inputs of float16, this one is of ", std::string(numpyName(surface.dtype)));
  return absl::OkStatus();
}

absl::Status checkSurfaces(const std::string &where, const std::vector<Surface> &surfaces,
                           std::unordered_set<std::string> &names) {
  for (size_t i = 0; i < surfaces.size(); ++i) {
    ANE_RETURN_IF_ERROR(checkSurface(at(where, i), surfaces[i]));
    if (!names.insert(surfaces[i].name).second)
      return errorAt(at(where, i) + ".name", quote(surfaces[i].name), " is the name of two surfaces of the procedure");
    ANE_RETURN_IF_ERROR(checkConditions(at(where, i) + ".holds", surfaces[i].holds));
    ANE_RETURN_IF_ERROR(checkMask(at(where, i) + ".mask", surfaces[i]));
  }
  return absl::OkStatus();
}

absl::Status checkTypes(const std::string &where, const std::vector<TensorType> &types) {
  for (size_t i = 0; i < types.size(); ++i)
    ANE_RETURN_IF_ERROR(checkShape(at(where, i) + ".shape", types[i].shape));
  return absl::OkStatus();
}

/// Names of one kind of record must differ.
template <typename T>
absl::Status checkUnique(const std::string &where, const std::vector<T> &items, std::string T::*key,
                         const char *field) {
  std::unordered_set<std::string> seen;
  for (size_t i = 0; i < items.size(); ++i) {
    std::string place = absl::StrCat(at(where, i), ".", field);
    ANE_RETURN_IF_ERROR(checkName(place, items[i].*key));
    if (!seen.insert(items[i].*key).second)
      return errorAt(place, quote(items[i].*key), " occurs twice");
  }
  return absl::OkStatus();
}

/// Files by their path.
using Listed = std::unordered_map<std::string, const File *>;

absl::Status checkFiles(const Manifest &m, Listed &listed) {
  for (size_t i = 0; i < m.files.size(); ++i) {
    const File &file = m.files[i];
    std::string where = at("$.files", i);
    ANE_RETURN_IF_ERROR(checkPath(where + ".path", file.path));
    ANE_RETURN_IF_ERROR(checkBytes(where + ".bytes", file.bytes));
    ANE_RETURN_IF_ERROR(checkHash(where, file.hash));
    listed.emplace(file.path, &file);
  }
  return absl::OkStatus();
}

/// A state, and the place of its initial value.
absl::Status checkState(const std::string &where, const State &state, const Listed &listed) {
  ANE_RETURN_IF_ERROR(checkShape(where + ".shape", state.type.shape));
  if (state.file.empty())
    return absl::OkStatus();
  auto file = listed.find(state.file);
  if (file == listed.end())
    return errorAt(where + ".initial.file", quote(state.file), " is not in $.files");
  int64_t bytes = byteCount(state.type), all = file->second->bytes;
  if (state.offset < 0 || state.offset % 64 != 0 || bytes > all || state.offset > all - bytes)
    return errorAt(where + ".initial.offset", "is ", state.offset, ", expected a multiple of 64 with the ", bytes,
                   " bytes of ", typeText(state.type), " behind it; ", quote(state.file), " has ", all);
  return absl::OkStatus();
}

} // namespace

absl::Status verifyRecords(const Manifest &m) {
  if (m.schema != kSchema)
    return errorAt("$.schema", "is ", m.schema, ", this version knows ", kSchema);
  ANE_RETURN_IF_ERROR(checkUnique("$.tensors", m.tensors, &Tensor::name, "name"));
  ANE_RETURN_IF_ERROR(checkUnique("$.states", m.states, &State::name, "name"));
  ANE_RETURN_IF_ERROR(checkUnique("$.functions", m.functions, &Function::name, "name"));
  ANE_RETURN_IF_ERROR(checkUnique("$.programs", m.programs, &Program::name, "name"));
  ANE_RETURN_IF_ERROR(checkUnique("$.host_functions", m.hostFunctions, &HostFunction::name, "name"));
  ANE_RETURN_IF_ERROR(checkUnique("$.host_libraries", m.hostLibraries, &HostLibrary::path, "path"));
  ANE_RETURN_IF_ERROR(checkUnique("$.files", m.files, &File::path, "path"));

  Listed listed;
  ANE_RETURN_IF_ERROR(checkFiles(m, listed));
  auto checkListed = [&](const std::string &where, const std::string &path) {
    ANE_RETURN_IF_ERROR(checkPath(where, path));
    if (!listed.count(path))
      return errorAt(where, quote(path), " is not in $.files");
    return absl::OkStatus();
  };

  for (size_t i = 0; i < m.tensors.size(); ++i)
    ANE_RETURN_IF_ERROR(checkShape(at("$.tensors", i) + ".shape", m.tensors[i].type.shape));
  for (size_t i = 0; i < m.states.size(); ++i)
    ANE_RETURN_IF_ERROR(checkState(at("$.states", i), m.states[i], listed));
  for (size_t i = 0; i < m.hostFunctions.size(); ++i) {
    const HostFunction &function = m.hostFunctions[i];
    std::string where = at("$.host_functions", i);
    ANE_RETURN_IF_ERROR(checkSymbol(where + ".symbol", function.symbol));
    ANE_RETURN_IF_ERROR(checkTypes(where + ".inputs", function.inputs));
    ANE_RETURN_IF_ERROR(checkTypes(where + ".outputs", function.outputs));
    ANE_RETURN_IF_ERROR(checkBytes(where + ".arena_bytes", function.arenaBytes));
  }
  for (size_t i = 0; i < m.programs.size(); ++i) {
    const Program &program = m.programs[i];
    std::string where = at("$.programs", i);
    ANE_RETURN_IF_ERROR(checkListed(where + ".mil", program.mil));
    for (size_t w = 0; w < program.weights.size(); ++w)
      ANE_RETURN_IF_ERROR(checkListed(at(where + ".weights", w), program.weights[w]));
    if (program.procedures.empty())
      return errorAt(where + ".procedures", "is empty; a program has at least one");
    ANE_RETURN_IF_ERROR(checkUnique(where + ".procedures", program.procedures, &Procedure::name, "name"));
    for (size_t p = 0; p < program.procedures.size(); ++p) {
      std::string place = at(where + ".procedures", p);
      std::unordered_set<std::string> names;
      ANE_RETURN_IF_ERROR(checkSurfaces(place + ".inputs", program.procedures[p].inputs, names));
      ANE_RETURN_IF_ERROR(checkSurfaces(place + ".outputs", program.procedures[p].outputs, names));
      for (size_t o = 0; o < program.procedures[p].outputs.size(); ++o)
        if (!program.procedures[p].outputs[o].holds.empty())
          return errorAt(at(place + ".outputs", o) + ".holds", "is for inputs");
        else if (program.procedures[p].outputs[o].mask.extent)
          return errorAt(at(place + ".outputs", o) + ".mask", "is for inputs");
    }
  }
  std::unordered_set<std::string> machines;
  for (size_t i = 0; i < m.hostLibraries.size(); ++i) {
    const HostLibrary &library = m.hostLibraries[i];
    std::string where = at("$.host_libraries", i);
    ANE_RETURN_IF_ERROR(checkName(where + ".triple", library.triple));
    if (!library.cpu.empty())
      ANE_RETURN_IF_ERROR(checkName(where + ".cpu", library.cpu));
    if (!library.activations.empty() && library.activations != "int8")
      return errorAt(where + ".activations", "is ", quote(library.activations), ", expected \"int8\" or nothing");
    if (!machines.insert(absl::StrCat(library.triple, " ", library.cpu)).second)
      return errorAt(where, "is for the machine of an earlier entry, ", quote(library.triple), " ", quote(library.cpu));
    ANE_RETURN_IF_ERROR(checkListed(where + ".path", library.path));
  }
  for (size_t i = 0; i < m.hostWeights.size(); ++i)
    ANE_RETURN_IF_ERROR(checkListed(at("$.host_weights", i), m.hostWeights[i]));
  return absl::OkStatus();
}

absl::Status verify(const Manifest &manifest) {
  ANE_RETURN_IF_ERROR(verifyRecords(manifest));
  ANE_RETURN_IF_ERROR(verifyPlans(manifest));
  ANE_RETURN_IF_ERROR(verifyBuckets(manifest));
  ANE_RETURN_IF_ERROR(verifyLanguageModel(manifest));
  ANE_RETURN_IF_ERROR(verifyTraining(manifest));
  ANE_RETURN_IF_ERROR(verifyAdapters(manifest));
  return verifyWeights(manifest);
}

} // namespace ane::rt::manifest
