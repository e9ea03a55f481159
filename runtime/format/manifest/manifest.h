//===- manifest.h - manifest.json of a bundle -------------------*- C++ -*-===//
//
// A bundle is a directory; `manifest.json` describes all of it. The compiler
// fills these structs and calls print(); the runtime calls read(), which treats
// the directory as hostile input. Both sides share verify(), so that whatever
// the compiler can print the runtime can load.
//
// Paths are relative to the bundle, with '/' between components.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_MANIFEST_MANIFEST_H
#define ANE_RUNTIME_FORMAT_MANIFEST_MANIFEST_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/support/element_type.h"
#include "runtime/support/folder.h"
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::manifest {

/// Version of this layout. A reader refuses every other value.
inline constexpr int64_t kSchema = 5;
inline constexpr char kFileName[] = "manifest.json";

/// Type of a dense row-major tensor. An empty shape is a scalar.
struct TensorType {
  ElementType dtype = ElementType::Float32;
  std::vector<int64_t> shape;
};
bool operator==(const TensorType &a, const TensorType &b);

/// A value of the plan, in the types of the model. Steps and functions refer to
/// it by its index in Manifest::tensors.
struct Tensor {
  std::string name;
  TensorType type;
};

/// What has to hold of an input of a program, or the program does not compute what the model says and the CPU computes
/// the run: all elements are from `low` to `high`, or, where `exact` says so, fp16 holds each of them, so that nothing
/// was rounded on the way into the surface. A bound that is missing is infinite; without bounds only `exact` counts.
/// What another program left in a surface was never rounded on its way.
struct Condition {
  std::optional<double> low = {}, high = {};
  bool exact = false;
};
inline constexpr int64_t kMaxConditions = 64;

/// How an additive mask becomes numbers of fp16: each row, `extent` elements `inner` apart, less its largest element,
/// and nothing below `least`. A softmax does not see the difference. A row of -inf alone becomes NaN. extent 0: no
/// mask.
struct MaskRows {
  int64_t extent = 0, inner = 1;
  double least = 0;

  bool operator==(const MaskRows &other) const {
    return extent == other.extent && inner == other.inner && least == other.least;
  }
};

/// One input or output of an engine program, and how it lies in memory.
///
/// `shape` is what the MIL text declares. In memory the surface is rows of
/// shape.back() elements, row_stride bytes apart, in row-major order of the
/// other dimensions. Rows are padded to 64 bytes and the allocation to the size
/// the engine asks for (ane-programming.md 3.1 and constraints C02, C04, C18):
/// bytes >= rows * row_stride.
///
/// Elements go from the plan's tensor to the surface by
///   reshape(expand) -> transpose(perm) -> reshape to rows -> convert to dtype,
/// where dimension i of the transposed tensor is dimension perm[i] of the
/// expanded one, and back by the inverse. expand and perm are both empty when
/// the tensor has the elements of `shape` in the same order.
///
/// A program may declare rows that are wider than its data. Then expand has
/// fewer elements than shape: the data are the first dataElements() / rows
/// elements of each row, and the rest of an input is zero.
struct Surface {
  std::string name; ///< name in the MIL text
  ElementType dtype = ElementType::Float16;
  std::vector<int64_t> shape;
  int64_t rowStride = 0; ///< bytes
  int64_t bytes = 0;     ///< size of the allocation
  std::vector<int64_t> expand;
  std::vector<int64_t> perm;
  std::vector<Condition> holds = {}; ///< of an input: all of them have to hold
  MaskRows mask = {};                ///< of an input, in the plan's tensor
};

/// A function of a program: what a step evaluates.
struct Procedure {
  std::string name; ///< of the function in the MIL text
  /// Host function with the same inputs and outputs; empty in a bundle without
  /// CPU code.
  std::string twin;
  std::vector<Surface> inputs, outputs;
};

/// One MIL program: one load on the engine, and one set of weights, whatever
/// number of procedures it has.
struct Program {
  std::string name;
  std::string mil;                  ///< path of the MIL text
  std::vector<std::string> weights; ///< paths of the blob files the text uses
  std::vector<Procedure> procedures = {};
};

/// A function of the host library. Arguments are as host_abi.h says.
struct HostFunction {
  std::string name;
  std::string symbol;
  std::vector<TensorType> inputs, outputs;
  int64_t arenaBytes = 0;
};

/// A build of the host functions for one machine, e.g.
/// "x86_64-unknown-linux-gnu".
struct HostLibrary {
  std::string triple;
  std::string path;
  /// Level of the processors that run it, e.g. "x86-64-v4"; empty: each one of
  /// the triple. Of several libraries for a triple the fastest is listed first.
  std::string cpu = {};
  /// What its products round rows to that meet weights in blocks, "int8"; empty: they don't.
  std::string activations = {};
};

/// An update replaces, in the state's memory, the elements from inputs[1] on along `axis` by inputs[0]; outputs[0] is
/// the state's new value in that memory, and StateUse::write. Where they would stand out the run fails, or, for one
/// entry with skipOutside, nothing is written.
struct Step {
  enum class Kind : uint8_t { Host, Program, Update };
  Kind kind = Kind::Host;
  std::string target;                   ///< name of the host function, of the program, or of the state
  std::vector<int64_t> inputs, outputs; ///< tensor indices
  std::string procedure = {};           ///< of the program
  int64_t axis = 0;                     ///< updates
  bool skipOutside = false;             ///< updates
};

/// A public name for a plan value.
struct Port {
  std::string name;
  int64_t tensor = 0;
  /// Inputs of integers that are indices: what their elements may be, and the
  /// model's node that says so. Empty `reader`: no bound.
  int64_t min = 0, max = 0;
  std::string reader = {};
};

/// A tensor that a session keeps from run to run.
struct State {
  std::string name; ///< as in the model
  TensorType type;
  /// File of the bundle with the value that it begins with, and where in it; empty: zeros.
  std::string file = {};
  int64_t offset = 0; ///< a multiple of 64
};

/// What a function does to a state: tensor `read` is its value before a run, and tensor `write` the one that it has
/// afterwards. Both are the same where the function changes nothing. A step of kind Update makes `write` in the memory
/// of `read`, which is not used behind it.
struct StateUse {
  int64_t state = 0; ///< index in Manifest::states
  int64_t read = 0, write = 0;
};

/// What must hold of a value of integers that a run computes, or the run is an error: a size that only the data know.
struct Check {
  std::string subject; ///< of the message: the model's node, and what the elements are
  int64_t tensor = 0;
  int64_t min = 0, max = 0;          ///< of each element
  std::optional<int64_t> total = {}; ///< of all elements together
};

/// An entry point of the bundle. Steps run in order; each tensor is defined
/// once, by an input, a state or one step, before it is used.
struct Function {
  std::string name;
  std::vector<Port> inputs, outputs;
  std::vector<Step> steps;
  std::vector<StateUse> states = {};
  std::vector<Check> checks = {};
};

/// What becomes of inputs whose size is between two of a bucket's.
enum class Padding : uint8_t {
  None,    ///< they are refused
  Checked, ///< they are filled up; the first time, runs with different fillings have to agree in outputs and states
  Zeros    ///< they are filled up with zeros, which change nothing by the word of who compiled the model
};

/// Functions that are one function of the model for different sizes of a dimension. They take the name that none of
/// them has, and of an input's size the smallest that fits.
struct Bucket {
  std::string name;
  std::string dimension; ///< as in the model
  Padding padding = Padding::None;
  /// Inputs that hide, where they are 0, what the others are filled up with.
  std::vector<int64_t> masks = {};
  /// Of each input and output, the axes that are the dimension.
  std::vector<std::vector<int64_t>> inputs = {}, outputs = {};
  std::vector<int64_t> sizes = {};     ///< ascending
  std::vector<int64_t> functions = {}; ///< of each size, its index in Manifest::functions
};

/// What a file holds of a weight. Element (i, j, ...) of it is element base + i *
/// strides[0] + j * strides[1] + ... of the weight (row-major), as `dtype`: the
/// weight's own, or float16 for a float32, rounded to the nearest.
struct StoredWeight {
  std::string file;
  int64_t offset = 0, bytes = 0; ///< of the elements in the file
  std::string hash;              ///< of these bytes, as File has it
  /// Programs and host functions that read it.
  std::vector<std::string> programs, hostFunctions;
  /// Why it can't be made from another value of the weight, such as "computed by
  /// mul"; the members below are meaningless then.
  std::string fixed;
  ElementType dtype = ElementType::Float32;
  int64_t base = 0;
  std::vector<int64_t> shape, strides;
  /// Above 0: of each matrix of the outermost dimension, this many columns of all
  /// rows, then the next columns; the last ones filled up with zeros.
  int64_t columns = 0;
};

/// A weight of the model, and where the bundle has it.
struct Weight {
  std::string name; ///< as in the model
  TensorType type;
  std::string encoding = "dense";   ///< of the model's bytes
  std::vector<StoredWeight> stored; ///< empty: the compiler has computed with it
  /// The least and the largest element that the model has, of a weight of floats all of which are finite.
  std::optional<std::pair<double, double>> range = {};
  /// Who compiled the model wants to change it: nothing in `stored` is fixed.
  bool trainable = false;
};

inline constexpr int64_t kMaxSequences = 64;

/// The bundle is a language model. Function `decode` takes a token, each of `prefill` a prompt of up to as many tokens
/// as its `input_ids` [1, T] have; they share all states. `position` [1] is how many tokens stand before these,
/// `length` [1] how many of the T are of the prompt, and `logits` are those behind the last of them. Function
/// `together` takes a token of each of N sequences, `input_ids` [N, 1] and `position` [N], and gives `logits` [N,
/// vocabulary]. Of each state of `decode` it has one N times as long along the axis of positions, called
/// "together." and its name, in which the sequences stand one behind the other. N is 2 to kMaxSequences. An encoder is
/// one function with buckets, `decode`, that takes `input_ids` and `attention_mask` and gives the `embedding` [1,
/// width] of a text.
struct LanguageModel {
  std::string kind;         ///< "decoder", or "encoder"
  std::string architecture; ///< "llama"
  int64_t context = 0;      ///< tokens that the states have room for
  int64_t vocabulary = 0;   ///< logits
  std::string decode = {};
  std::vector<std::string> prefill = {}; ///< ascending
  std::vector<int64_t> stopTokens = {};  ///< an answer ends with one of them
  std::optional<int64_t> bos = {};       ///< the token that a text begins with
  std::optional<int64_t> window = {};    ///< tokens that some layers look back, if fewer than all
  std::optional<std::string> together = {};
};

/// A parameter that training changes: an input of `step` and of `evaluate` of this name, float32, or a weight of the
/// bundle. Output "grad." + name of `step`, of the same type, is the gradient of the loss by it, times the loss scale.
struct TrainedParameter {
  std::string name;     ///< as in the model
  bool decays = true;   ///< weight decay is for it: matrices, not vectors
  bool isBaked = false; ///< it is one of Manifest::weights, trainable and float32, and no input
  /// Output "next." + name of `step` is its new value, and there is no gradient: a running mean or variance.
  bool isStatistic = false;
};

/// One update of an optimizer, for `sweep` elements of each of its arrays: inputs and outputs as
/// optimizerPorts(kind) names them.
struct Optimizer {
  std::string kind; ///< of optimizerKinds()
  std::string function;
};

/// The bundle trains. Of what is named here, functions are ordinary functions of the bundle. The inputs of `step` that
/// are neither parameters nor target nor loss scale are the data; axis 0 of each of them and of the target is the
/// batch.
struct Training {
  /// Data, target, loss scale, parameters -> "loss", float32 with one element, and gradients. It may give "loss_share",
  /// of the same type, too: of a mean over targets that count, the share of these, by which gradients are multiplied.
  std::string step;
  std::string evaluate; ///< data, target, parameters -> "loss"; may be empty
  std::string loss;     ///< "cross-entropy", "mse", "bce", "contrastive", or "model": an output of the model
  std::string target;   ///< input of the loss; empty for "model", may be empty for "contrastive"
  std::string
      lossScale; ///< input of `step`, float32 with one element, that gradients are multiplied by; the loss is not
  int64_t ignore = -100; ///< the target that does not count, of cross-entropy
  int64_t classes = 0;   ///< targets that count are from 0 to below it, of cross-entropy; 0: unknown
  std::vector<std::string>
      graph; ///< what the model computes: a line for each number of its configuration, kind of op and constant
  std::vector<TrainedParameter> parameters; ///< in the order of names
  std::string
      weights;       ///< safetensors file of the bundle: of each parameter a float32 tensor, what training begins with
  int64_t sweep = 0; ///< elements of the arrays of optimizers, `squares` and `add`
  std::vector<Optimizer> optimizers;
  /// "gradient" [sweep] -> "squares" [1]: the sum of the squares, inf or NaN if an element is.
  std::string squares;
  std::string add; ///< "into" [sweep], "from" [sweep] -> "sum" [sweep]
};

/// What is added to a linear layer's outputs of x: alpha / rank * B (A x).
struct AdapterPair {
  std::string layer;       ///< as Hugging Face's model has it: "model.layers.0.self_attn.q_proj"
  std::string weight;      ///< the layer's, as in the model that was compiled; [outputs, inputs]
  std::string a, b;        ///< float32 [rank, inputs] and [outputs, rank]
  bool transposed = false; ///< the model's file has the weight as [inputs, outputs]
  /// Above 0: outputs are so many heads, in which the elements that a position turns together are neighbours, here and
  /// in the model's file; in Hugging Face's model they are half a head apart.
  int64_t heads = 0;
};

/// Low-rank adapters beside linear layers. A and B are parameters of a bundle that trains, and states of one that runs:
/// zeros at first, which functions read and none changes, and that a session sets as a whole (core/adapter.h).
struct Adapters {
  int64_t rank = 0;
  double alpha = 0;
  std::vector<std::string> targets; ///< what names of layers end with
  std::vector<AdapterPair> pairs;   ///< in the order of layers
};
inline constexpr int64_t kMaxAdapterRank = 1024;

/// A file of the bundle. Every path that a record mentions is listed.
struct File {
  std::string path;
  int64_t bytes = 0;
  std::string hash; ///< XXH3 with 128 bits: 32 lower-case hexadecimal digits
};

struct Target {
  std::string chip, route, os, opset, strictness;
};

struct Manifest {
  int64_t schema = kSchema;
  std::string producer; ///< tool and version; no date, so that output is stable
  Target target;
  std::vector<Tensor> tensors;
  std::vector<State> states;
  std::vector<Function> functions;
  std::vector<Bucket> buckets;
  std::optional<LanguageModel> languageModel;
  std::optional<Training> training;
  std::optional<Adapters> adapters;
  std::vector<Program> programs;
  std::vector<HostFunction> hostFunctions;
  std::vector<HostLibrary> hostLibraries;
  std::vector<std::string> hostWeights; ///< order of ane_host_context::weights
  std::vector<Weight> weights;          ///< by name; may be left out
  std::vector<File> files;
};

/// JSON text: fixed key order, one record per line group, ends in a newline.
/// The same structs give the same bytes.
std::string print(const Manifest &manifest);

/// Checks everything that does not need the disk: counts, indices, names,
/// paths, types, surface geometry, the plan's data flow. The message names the
/// JSON path, the value, the limit and a remedy.
absl::Status verify(const Manifest &manifest);

/// Parses and verifies JSON text.
absl::StatusOr<Manifest> parse(std::string_view json);

struct ReadOptions {
  bool verifyHashes = false; ///< also compare the hash of every file
};

/// Reads manifest.json of a bundle's folder, verifies it, and checks the files
/// on disk: each is one that Folder opens, of the recorded size.
absl::StatusOr<Manifest> read(const Folder &folder, const ReadOptions &options = {});

/// The states of which each function of the bucket that updates them does so with one entry for each place of the
/// dimension: entries of places that are filled up are not written.
std::vector<size_t> statesAlong(const Manifest &manifest, const Bucket &bucket);

/// A state of a decoder and the one that has it for several sequences.
struct TogetherState {
  size_t single, together; ///< indices in Manifest::states
  size_t axis;             ///< of positions
};
/// Those of the model's function `together`, in the order of those of `decode`, without adapters. NotFound, naming it,
/// if one has no partner that is `sequences` times as long.
absl::StatusOr<std::vector<TogetherState>> togetherStates(const Manifest &manifest, int64_t sequences);

/// What begins the name of a gradient, before that of its parameter.
inline constexpr char kGradient[] = "grad.";
inline constexpr char kNext[] = "next.";
inline constexpr char kLossShare[] = "loss_share";

/// Names of an optimizer's inputs and outputs, in the order that its function has them. Arrays are float32 [sweep],
/// scalars float32 [1].
struct OptimizerPorts {
  std::vector<const char *> arrays, scalars, outputs; ///< inputs: arrays, then scalars
};
/// Null for an unknown kind.
const OptimizerPorts *optimizerPorts(std::string_view kind);
/// "adamw", "lion", "sgd"
std::vector<std::string> optimizerKinds();

/// The types of A and B.
struct AdapterTypes {
  TensorType a, b;
};
/// Of each pair, in a manifest that holds.
std::vector<AdapterTypes> adapterTypes(const Manifest &manifest);
/// The states that are matrices of adapters, as indices of Manifest::states.
std::set<size_t> adapterStates(const Manifest &manifest);

/// Number of elements; the manifest's limits keep it below 2^46.
int64_t elementCount(const std::vector<int64_t> &shape);

/// Size of a dense tensor.
int64_t byteCount(const TensorType &type);

/// "float16[1,64,1,128]", for messages.
std::string typeText(const TensorType &type);

/// "at least 1e-05", "from -8 to 8 or numbers of fp16", for messages.
std::string conditionText(const Condition &condition);

/// Whether elements lie in the same places, in allocations of whatever sizes.
bool areAlike(const Surface &a, const Surface &b);

/// What messages call a procedure: "main_0", or "bank_0.decode_0" where the
/// program has others.
std::string nameOf(const Program &program, const Procedure &procedure);

/// Elements of the plan's tensor behind a surface.
int64_t dataElements(const Surface &surface);

/// Hash of a file, as File has it.
absl::StatusOr<std::string> hashFile(const std::string &path);
/// Of a file that is open, from where it stands; `name` is for messages.
absl::StatusOr<std::string> hashFile(const Descriptor &file, const std::string &name);

} // namespace ane::rt::manifest
#endif // ANE_RUNTIME_FORMAT_MANIFEST_MANIFEST_H
