//===- buckets.cpp - Consistency of a manifest's buckets ------------------===//
#include "runtime/format/manifest/diagnostic.h"
#include <unordered_set>

namespace ane::rt::manifest {
namespace {

/// Walks one bucket: its functions are alike but for the dimension.
class BucketVerifier {
public:
  BucketVerifier(const Manifest &m, const Bucket &bucket, std::string where)
      : m(m), bucket(bucket), where(std::move(where)) {}

  absl::Status run() {
    if (bucket.sizes.empty() || bucket.sizes.size() != bucket.functions.size())
      return errorAt(where + ".sizes", "has ", bucket.sizes.size(), " entries, $.functions of the bucket has ",
                     bucket.functions.size(), "; each size has a function");
    for (size_t i = 0; i < bucket.sizes.size(); ++i)
      if (absl::Status s = checkFunction(i); !s.ok())
        return s;
    bool varies = false;
    for (const std::vector<int64_t> &axes : bucket.inputs)
      varies = varies || !axes.empty();
    for (size_t i = 0; i < bucket.masks.size(); ++i) {
      int64_t mask = bucket.masks[i];
      if (bucket.padding != Padding::Checked || mask < 0 || mask >= static_cast<int64_t>(bucket.inputs.size()) ||
          bucket.inputs[mask].empty())
        return errorAt(at(where + ".masks", i), "is ", mask,
                       ", which is no input with the dimension of a checked bucket");
    }
    return varies ? absl::OkStatus() : errorAt(where + ".inputs", "no input has the dimension");
  }

private:
  absl::Status checkFunction(size_t i) {
    int64_t size = bucket.sizes[i], index = bucket.functions[i];
    if (size < 1 || size > kMaxElements || (i > 0 && size <= bucket.sizes[i - 1]))
      return errorAt(at(where + ".sizes", i), "is ", size, "; sizes are at least 1 and ascend");
    std::string place = at(where + ".functions", i);
    if (index < 0 || index >= static_cast<int64_t>(m.functions.size()))
      return errorAt(place, "is ", index, ", there are ", m.functions.size(), " functions");
    const Function &function = m.functions[index], &first = m.functions[bucket.functions[0]];
    absl::Status s = checkPorts(place, "inputs", function.inputs, first.inputs, bucket.inputs, size);
    return s.ok() ? checkPorts(place, "outputs", function.outputs, first.outputs, bucket.outputs, size) : s;
  }

  absl::Status checkPorts(const std::string &place, const char *kind, const std::vector<Port> &ports,
                          const std::vector<Port> &first, const std::vector<std::vector<int64_t>> &axes, int64_t size) {
    if (ports.size() != axes.size())
      return errorAt(where + "." + kind, "has ", axes.size(), " entries, function ", place, " has ", ports.size(), " ",
                     kind);
    for (size_t i = 0; i < ports.size(); ++i) {
      const TensorType &type = m.tensors[ports[i].tensor].type, &other = m.tensors[first[i].tensor].type;
      if (ports[i].name != first[i].name || type.dtype != other.dtype || type.shape.size() != other.shape.size())
        return errorAt(place, kind, " ", i, " is ", quote(ports[i].name), " ", typeText(type),
                       ", that of the first size is ", quote(first[i].name), " ", typeText(other));
      if (absl::Status s = checkShape(at(where + "." + kind, i), type, other, axes[i], size); !s.ok())
        return s;
    }
    return absl::OkStatus();
  }

  static absl::Status checkShape(const std::string &place, const TensorType &type, const TensorType &first,
                                 const std::vector<int64_t> &axes, int64_t size) {
    std::unordered_set<int64_t> isDimension;
    for (int64_t axis : axes)
      if (axis < 0 || axis >= static_cast<int64_t>(type.shape.size()) || !isDimension.insert(axis).second)
        return errorAt(place, "axis ", axis, " is none of ", typeText(type), ", or twice there");
    for (size_t d = 0; d < type.shape.size(); ++d) {
      int64_t wanted = isDimension.count(static_cast<int64_t>(d)) ? size : first.shape[d];
      if (type.shape[d] != wanted || wanted < 1)
        return errorAt(place, "axis ", d, " is ", type.shape[d], " for size ", size, ", expected ",
                       std::max<int64_t>(wanted, 1));
    }
    return absl::OkStatus();
  }

  const Manifest &m;
  const Bucket &bucket;
  const std::string where;
};

} // namespace

std::vector<size_t> statesAlong(const Manifest &m, const Bucket &bucket) {
  std::vector<size_t> along;
  for (size_t state = 0; state < m.states.size(); ++state) {
    bool isUpdated = false, isAlong = true;
    for (size_t i = 0; i < bucket.sizes.size(); ++i)
      for (const Step &step : m.functions[bucket.functions[i]].steps)
        if (step.kind == Step::Kind::Update && step.target == m.states[state].name) {
          isUpdated = true;
          isAlong = isAlong && m.tensors[step.inputs[0]].type.shape[step.axis] == bucket.sizes[i];
        }
    if (isUpdated && isAlong)
      along.push_back(state);
  }
  return along;
}

absl::Status verifyBuckets(const Manifest &m) {
  std::unordered_set<std::string> names;
  std::unordered_set<int64_t> functions;
  for (const Function &function : m.functions)
    names.insert(function.name);
  for (size_t i = 0; i < m.buckets.size(); ++i) {
    const Bucket &bucket = m.buckets[i];
    std::string where = at("$.buckets", i);
    if (bucket.name.empty() || !names.insert(bucket.name).second)
      return errorAt(where + ".name", quote(bucket.name), " is empty, or the name of a function or another bucket");
    if (absl::Status s = BucketVerifier(m, bucket, where).run(); !s.ok())
      return s;
    for (int64_t function : bucket.functions)
      if (!functions.insert(function).second)
        return errorAt(where + ".functions", "function ", function, " is of two sizes or buckets");
  }
  return absl::OkStatus();
}

} // namespace ane::rt::manifest
