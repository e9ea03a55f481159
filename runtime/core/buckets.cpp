//===- buckets.cpp - Functions for several sizes as one -------------------===//
#include "runtime/core/buckets.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/core/convert.h"
#include "runtime/support/hash.h"
#include "runtime/support/number_text.h"
#include <algorithm>
#include <cstring>

namespace ane::rt {
namespace {

/// Copies the box that two dense tensors have in common, from its first element.
void copyBox(const uint8_t *from, const std::vector<int64_t> &fromShape, uint8_t *to,
             const std::vector<int64_t> &toShape, int64_t width, size_t axis = 0) {
  int64_t fromBytes = width, toBytes = width;
  bool isDense = true; // from `axis` on
  for (size_t d = axis; d < fromShape.size(); ++d) {
    fromBytes *= fromShape[d];
    toBytes *= toShape[d];
    isDense = isDense && (d == axis || fromShape[d] == toShape[d]);
  }
  if (isDense) {
    std::memcpy(to, from, static_cast<size_t>(std::min(fromBytes, toBytes)));
    return;
  }
  for (int64_t i = 0; i < std::min(fromShape[axis], toShape[axis]); ++i)
    copyBox(from + i * (fromBytes / fromShape[axis]), fromShape, to + i * (toBytes / toShape[axis]), toShape, width,
            axis + 1);
}

} // namespace

Buckets::Buckets(std::shared_ptr<Bundle> owner, const manifest::Bucket &record, std::shared_ptr<Executor> smallest)
    : bundle(std::move(owner)), bucket(record), executors(record.sizes.size()), inputValues(record.inputs.size()),
      outputValues(record.outputs.size()), statesAlong(manifest::statesAlong(bundle->manifest(), record)),
      checked(record.sizes.size()), inputSizes(record.inputs.size()) {
  const manifest::Manifest &m = bundle->manifest();
  const manifest::Function &largest = m.functions[record.functions.back()];
  auto makePorts = [&](const std::vector<manifest::Port> &ports, const std::vector<std::vector<int64_t>> &axes) {
    std::vector<Port> list;
    for (size_t i = 0; i < ports.size(); ++i) {
      manifest::TensorType type = m.tensors[ports[i].tensor].type;
      int64_t bytes = manifest::byteCount(type);
      for (int64_t axis : axes[i])
        type.shape[axis] = -1;
      list.push_back({ports[i].name, type, nullptr, bytes, nullptr, &ports[i]});
    }
    return list;
  };
  inputPorts = makePorts(largest.inputs, record.inputs);
  outputPorts = makePorts(largest.outputs, record.outputs);
  executors.front() = std::move(smallest);
}

absl::StatusOr<std::unique_ptr<Buckets>> Buckets::create(std::shared_ptr<Bundle> bundle, const manifest::Bucket &record,
                                                         const Executor *origin) {
  const std::string &name = bundle->manifest().functions[record.functions.front()].name;
  auto smallest = origin ? origin->share(name) : Executor::create(bundle, name);
  if (!smallest.ok())
    return smallest.status();
  return std::unique_ptr<Buckets>(new Buckets(std::move(bundle), record, *std::move(smallest)));
}

absl::StatusOr<std::unique_ptr<Buckets>> Buckets::fork() const {
  auto smallest = executors.front()->fork();
  if (!smallest.ok())
    return smallest.status();
  std::unique_ptr<Buckets> other(new Buckets(bundle, bucket, *std::move(smallest)));
  other->checked = checked;
  return other;
}

absl::StatusOr<std::shared_ptr<Executor>> Buckets::load(size_t entry) {
  if (!executors[entry]) {
    auto made = executors.front()->share(bundle->manifest().functions[bucket.functions[entry]].name);
    if (!made.ok())
      return made.status();
    (*made)->useCancelFlag(executors.front()->cancelFlag());
    executors[entry] = *std::move(made);
  }
  return executors[entry];
}

absl::Status Buckets::setWeight(const std::string &name, const void *data, int64_t bytes, bool stays) {
  for (const std::shared_ptr<Executor> &executor : executors)
    if (executor)
      if (absl::Status status = executor->setWeight(name, data, bytes, stays); !status.ok())
        return status;
  return absl::OkStatus();
}

std::string Buckets::sizesText() const { return absl::StrJoin(bucket.sizes, ", "); }

manifest::TensorType Buckets::typeFor(const Port &port, int64_t size) const {
  manifest::TensorType type = port.type;
  std::replace(type.shape.begin(), type.shape.end(), int64_t(-1), size);
  return type;
}

absl::StatusOr<int64_t> Buckets::sizeOf(size_t input, int64_t bytes) const {
  const Port &port = inputPorts[input];
  bool isFixed = bucket.inputs[input].empty();
  // The bytes grow with the size.
  int64_t low = 1, high = isFixed ? 1 : bucket.sizes.back();
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (manifest::byteCount(typeFor(port, middle)) < bytes)
      low = middle + 1;
    else
      high = middle;
  }
  if (manifest::byteCount(typeFor(port, low)) == bytes)
    return isFixed ? 0 : low;
  std::string wanted = isFixed ? manifest::typeText(port.type)
                               : absl::StrCat(manifest::typeText(port.type), " with -1 from 1 to ", bucket.sizes.back(),
                                              " (", bucket.dimension, ")");
  int64_t most = manifest::byteCount(typeFor(port, bucket.sizes.back()));
  bool isLarger = !isFixed && unsignedSize(bytes) > unsignedSize(most);
  return absl::InvalidArgumentError(absl::StrCat(
      "input ", port.name, ": has ", unsignedSize(bytes), " bytes, expected ", wanted,
      "; remedy: ", isLarger ? "compile the model with a larger --bucket" : "give a value of that type and shape"));
}

absl::Status Buckets::setInput(size_t index, const void *data, int64_t bytes) {
  if (index >= inputPorts.size())
    return absl::InvalidArgumentError(
        absl::StrCat("input ", index, ": function ", bucket.name, " has ", inputPorts.size(), " inputs"));
  auto size = sizeOf(index, bytes);
  if (!size.ok())
    return size.status();
  auto *first = static_cast<const uint8_t *>(data);
  inputValues[index].assign(first, first + bytes);
  inputSizes[index] = *size;
  inputPorts[index].set = true;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Buckets::commonSize() const {
  size_t first = inputPorts.size();
  for (size_t i = 0; i < inputPorts.size(); ++i) {
    if (!inputPorts[i].set)
      return absl::FailedPreconditionError(absl::StrCat("input ", inputPorts[i].name, " was not set"));
    if (inputSizes[i] == 0)
      continue;
    if (first == inputPorts.size())
      first = i;
    if (inputSizes[i] != inputSizes[first])
      return absl::InvalidArgumentError(absl::StrCat(bucket.dimension, " is ", inputSizes[first], " in input ",
                                                     inputPorts[first].name, " and ", inputSizes[i], " in input ",
                                                     inputPorts[i].name, "; it is one dimension"));
  }
  return inputSizes[first];
}

/// Inputs, and behind them zeros or, but for masks, ones.
absl::Status Buckets::fill(Executor &executor, bool withOnes) {
  for (size_t i = 0; i < inputPorts.size(); ++i) {
    auto target = executor.inputData(i);
    if (!target.ok())
      return target.status();
    const Port &port = executor.inputs()[i];
    auto *data = static_cast<uint8_t *>(*target);
    int64_t width = byteWidth(port.type.dtype);
    bool isMask = std::count(bucket.masks.begin(), bucket.masks.end(), static_cast<int64_t>(i)) != 0;
    bool mayBeOne = port.place->reader.empty() || port.place->max >= 1;
    double filler = withOnes && !isMask && mayBeOne ? 1 : 0;
    if (static_cast<int64_t>(inputValues[i].size()) != port.bytes)
      for (int64_t at = 0; at < port.bytes; at += width)
        convertElements(&filler, ElementType::Float64, data + at, port.type.dtype, 1);
    copyBox(inputValues[i].data(), typeFor(inputPorts[i], currentSize).shape, data, port.type.shape, width);
  }
  return absl::OkStatus();
}

Buckets::Results Buckets::results(const Executor &executor) {
  Results list;
  auto add = [&](const void *data, int64_t bytes) {
    Hash hash;
    hash.update(data, static_cast<size_t>(bytes));
    list.push_back(hash.digest());
  };
  for (size_t i = 0; i < outputPorts.size(); ++i) {
    auto [data, bytes] = output(i);
    add(data, bytes);
  }
  for (size_t state : executor.statesChanged())
    add(executor.nextState(state), executor.states().all()[state].bytes);
  return list;
}

absl::Status Buckets::checkAlike(const Executor &executor, const Results &zeros, const Results &ones) const {
  for (size_t i = 0; i < zeros.size(); ++i) {
    if (zeros[i] == ones[i])
      continue;
    std::string what =
        i < outputPorts.size()
            ? absl::StrCat("output ", outputPorts[i].name)
            : absl::StrCat("state ",
                           executor.states().all()[executor.statesChanged()[i - outputPorts.size()]].record->name);
    std::string mask =
        bucket.masks.empty() ? "" : absl::StrCat(", though the mask ", inputPorts[bucket.masks[0]].name, " is 0 there");
    return absl::FailedPreconditionError(absl::StrCat(what, " of function ", executor.name(),
                                                      " depends on what inputs are filled up with from ", currentSize,
                                                      " on", mask, ": give inputs of the sizes ", sizesText()));
  }
  return absl::OkStatus();
}

/// Runs with ones, whose results are taken back, and with zeros, whose results count if they are the same.
absl::Status Buckets::runAndCompare(Executor &executor) {
  Results zeros, ones;
  if (absl::Status s = fill(executor, /*withOnes=*/true); !s.ok())
    return s;
  bool isDone = false;
  absl::Status status = executor.run([&] {
    ones = results(executor);
    isDone = true;
    return absl::AbortedError("only to compare");
  });
  if (!isDone)
    return status;
  if (absl::Status s = fill(executor, /*withOnes=*/false); !s.ok())
    return s;
  status = executor.run([&] {
    zeros = results(executor);
    return checkAlike(executor, zeros, ones);
  });
  if (status.ok())
    checked[current] = true;
  return status;
}

absl::StatusOr<std::shared_ptr<Executor>> Buckets::prepare() {
  auto size = commonSize();
  if (!size.ok())
    return size.status();
  size_t entry = std::lower_bound(bucket.sizes.begin(), bucket.sizes.end(), *size) - bucket.sizes.begin();
  if (bucket.sizes[entry] != *size && bucket.padding == manifest::Padding::None)
    return absl::InvalidArgumentError(absl::StrCat(
        bucket.dimension, " is ", *size, ", and function ", bucket.name, " runs ", sizesText(),
        " only: the model has no attention_mask of integers, or it does not hide what an input is filled up "
        "with, which ane-compile warned of; give inputs of these sizes, or compile with "
        "--bucket-pad=zeros if zeros change nothing"));
  auto executor = load(entry);
  if (!executor.ok())
    return executor.status();
  current = entry;
  currentSize = *size;
  return executor;
}

absl::Status Buckets::run() {
  Executor &executor = *executors[current];
  for (size_t state : statesAlong)
    executor.writeFirst(state, currentSize);
  bool isFilledUp = bucket.sizes[current] != currentSize;
  if (isFilledUp && bucket.padding == manifest::Padding::Checked && !checked[current])
    return runAndCompare(executor);
  if (absl::Status s = fill(executor, /*withOnes=*/false); !s.ok())
    return s;
  return executor.run();
}

Copies Buckets::copies() const {
  Copies sum = executors[current]->copies();
  for (const std::shared_ptr<Executor> &executor : executors) {
    if (!executor || executor == executors[current])
      continue;
    const Copies &copied = executor->copies();
    sum.runs += copied.runs;
    sum.totalSurfaceBytes += copied.totalSurfaceBytes;
    sum.totalStateBytes += copied.totalStateBytes;
    sum.totalScannedBytes += copied.totalScannedBytes;
    sum.totalWeightBytes += copied.totalWeightBytes;
    sum.totalClamped += copied.totalClamped;
  }
  return sum;
}

std::pair<const void *, int64_t> Buckets::output(size_t index) {
  const Port &whole = executors[current]->outputs()[index];
  manifest::TensorType type = typeFor(outputPorts[index], currentSize);
  int64_t bytes = manifest::byteCount(type);
  if (bytes == whole.bytes)
    return {whole.data, bytes};
  std::vector<uint8_t> &value = outputValues[index];
  value.resize(static_cast<size_t>(bytes));
  copyBox(static_cast<const uint8_t *>(whole.data), whole.type.shape, value.data(), type.shape, byteWidth(type.dtype));
  return {value.data(), bytes};
}

} // namespace ane::rt
