//===- neighbour_cases.cpp - Operations beside others ---------------------===//

#include "runtime/test/lint/cases.h"

namespace ane::rt::lint {
namespace {

CaseProgram body(const std::string &statements, const std::string &opset = "ios16") {
  return {kA, statements, "y", opset};
}

CaseProgram of(const std::string &shape, const std::string &statements) {
  return {"tensor<fp16, " + shape + "> a", statements};
}

const std::string kSquare = "tensor<fp16, [1, 1, 64, 64]> ";
const std::string kTwo = kSquare + "a, " + kSquare + "b";
/// Arguments of concat.
const std::string kNames = "int32 first = const()[val = int32(1)]; int32 last = const()[val = int32(-1)]; bool il = "
                           "const()[val = bool(false)];";
const std::string kConst = "fp16 k = const()[val = fp16(";

/// A part of 32 columns from `begin` on.
std::string slice(const std::string &name, const std::string &begin) {
  return "tensor<fp16, [1, 8, 1, 32]> " + name + " = slice_by_size(begin = tensor<int32, [4]>([0, 0, 0, " + begin +
         "]), size = tensor<int32, [4]>([1, 8, 1, 32]), x = a);";
}

/// The same as an interval. An argument of the program is no operand of it (C75).
std::string between(const std::string &begin) {
  return kT + "b = relu(x = a); tensor<int32, [4]> from = const()[val = tensor<int32, [4]>([0, 0, 0, " + begin +
         "])]; tensor<int32, [4]> to = const()[val = tensor<int32, [4]>([1, 8, 1, 64])]; tensor<fp16, [1, 8, 1, " +
         std::to_string(64 - std::stoi(begin)) + "]> y = slice_by_index(begin = from, end = to, x = b);";
}

/// Both halves along an axis, added.
std::string halves(const std::string &axis, const std::string &shape) {
  const std::string half = "tensor<fp16, [" + shape + "]> ";
  return "int32 n = const()[val = int32(2)]; int32 ax = const()[val = int32(" + axis + ")]; " + half + "s, " + half +
         "t = split(axis = ax, num_splits = n, x = a); " + half + "y = add(x = s, y = t);";
}

/// Without that many columns at the two ends.
std::string crop(const std::string &columns) {
  return "tensor<int32, [2]> c = const()[val = tensor<int32, [2]>([" + columns +
         "])]; tensor<int32, [2]> none = const()[val = tensor<int32, [2]>([0, 0])]; "
         "tensor<fp16, [1, 8, 1, 32]> y = crop(crop_height = none, crop_width = c, x = a);";
}

} // namespace

std::vector<RuleCase> neighbourCases() {
  const TargetSpelling m1e5rt{"m1", "e5rt", "", "evidence"}, m3{"m3"}, m5e5rt{"m5", "e5rt"};
  const TargetSpelling os27{"m5", "in_memory", "27"};
  const std::string transposed = "tensor<int32, [4]> p = const()[val = tensor<int32, [4]>([0, 1, 3, 2])];" + kSquare +
                                 "s = transpose(perm = p, x = a);" + kSquare + "t = transpose(perm = p, x = b);";
  const std::string joined =
      kNames + "tensor<fp16, [1, 8, 1, 64]> y = concat(axis = last, interleave = il, values = (s, t));";
  const std::string reduced = "tensor<fp16, [1, 1, 1, 64]> s = reduce_max(axes = tensor<int32, [1]>([1]), keep_dims = "
                              "bool(true), x = a);";
  const std::string out1 = "tensor<fp16, [1, 1, 1, 64]> y = ";
  const std::string bounded = kT + "c = clip(alpha = fp16(-1000), beta = fp16(1000), x = a);";
  return {
      {"C72", {"m1"}, body(slice("y", "32")), body(slice("y", "0"))},
      {"C72", {"m1"}, body(between("1")), body(between("0"))},
      {"C72", {"m2"}, body(halves("3", "1, 8, 1, 32")), body(halves("1", "1, 4, 1, 64"))},
      {"C72", {"m2"}, body(crop("1, 31")), body(crop("0, 32"))},
      {"C72",
       {"m2"},
       {},
       body(bounded + "tensor<fp16, [1, 8, 1, 32]> y = slice_by_size(begin = tensor<int32, [4]>([0, 0, 0, 32]), size = "
                      "tensor<int32, [4]>([1, 8, 1, 32]), x = c);")},
      {"C72", {"m4"}, {}, body(slice("y", "32"))},
      {"C73", m1e5rt, body(slice("s", "32") + slice("t", "16") + joined),
       body(slice("s", "32") + slice("t", "0") + joined)},
      {"C74", m5e5rt,
       of("[1, 8, 4, 64]",
          "tensor<fp16, [1, 8, 1, 64]> y = slice_by_size(begin = tensor<int32, [4]>([0, 0, 1, 0]), size = "
          "tensor<int32, [4]>([1, 8, 1, 64]), x = a);"),
       of("[1, 8, 4, 64]",
          "tensor<fp16, [1, 8, 2, 64]> y = slice_by_size(begin = tensor<int32, [4]>([0, 0, 1, 0]), size = "
          "tensor<int32, [4]>([1, 8, 2, 64]), x = a);")},
      {"C75",
       {},
       {kA + ", tensor<fp16, [1, 8, 1, 64]> b",
        "tensor<fp16, [1, 8, 1, 32]> y = slice_by_index(begin = tensor<int32, [4]>([0, 0, 0, 0]), end = tensor<int32, "
        "[4]>([1, 8, 1, 32]), x = b);"},
       body(kT +
            "b = relu(x = a);tensor<fp16, [1, 8, 1, 32]> y = slice_by_index(begin = tensor<int32, [4]>([0, 0, 0, 0]), "
            "end = tensor<int32, [4]>([1, 8, 1, 32]), x = b);")},
      {"C77",
       {},
       of("[1, 1, 64, 64]",
          kSquare + "c = clip(alpha = fp16(23), beta = fp16(24), x = a);" + kSquare + "y = matmul(x = c, y = c);"),
       of("[1, 1, 64, 64]",
          kSquare + "c = clip(alpha = fp16(21), beta = fp16(22), x = a);" + kSquare + "y = matmul(x = c, y = c);")},
      {"C78",
       {},
       body(kT + "c = maximum(x = a, y = fp16(12));" + kT + "y = exp(x = c);"),
       body(kT + "c = maximum(x = a, y = fp16(11));" + kT + "y = exp(x = c);")},
      {"C79",
       {},
       body(kT + "c = maximum(x = a, y = fp16(256));" + kT + "y = square(x = c);"),
       body(kT + "c = maximum(x = a, y = fp16(255));" + kT + "y = square(x = c);")},
      {"C80",
       {},
       of("[1, 1, 32, 4096]",
          "tensor<fp16, [1, 1, 32, 4096]> s = softmax(axis = int32(-1), x = a); tensor<fp16, [1, 1, 32, "
          "32]> y = matmul(transpose_y = bool(true), x = s, y = a);"),
       of("[1, 1, 32, 4095]",
          "tensor<fp16, [1, 1, 32, 4095]> s = softmax(axis = int32(-1), x = a); tensor<fp16, [1, 1, 32, "
          "32]> y = matmul(transpose_y = bool(true), x = s, y = a);")},
      {"C83",
       {},
       {"tensor<int8, [1, 8, 1, 64]> a", kT + "s = dequantize(input = a, scale = fp16(0.5));" + kT +
                                             "t = dequantize(input = a, scale = fp16(0.25));" + kT +
                                             "y = mul(x = s, y = t);"},
       {"tensor<int8, [1, 8, 1, 64]> a", kT + "s = dequantize(input = a, scale = fp16(0.5));" + kT +
                                             "t = dequantize(input = a, scale = fp16(0.5));" + kT +
                                             "y = mul(x = s, y = t);"}},
      {"C91",
       {"m4", "e5rt"},
       {kTwo, transposed + kSquare + "y = matmul(x = s, y = t);"},
       {kTwo, transposed + kSquare + "y = matmul(x = s, y = b);"}},
      {"C92",
       {},
       body(kConst + "3)];" + kT + "s = floor(x = a);" + kT + "y = mul(x = s, y = k);"),
       body(kConst + "3)];" + kT + "s = floor(x = a);" + kT + "y = add(x = s, y = k);")},
      {"C93",
       {},
       body(kConst + "0)];" + reduced + out1 + "mul(x = s, y = k);"),
       body(kConst + "1)];" + reduced + out1 + "mul(x = s, y = k);")},
      {"C94",
       {},
       of("[1, 8, 1, 96]",
          "tensor<fp16, [1, 8, 1, 96]> s = square(x = a); tensor<fp16, [1, 8, 1, 96]> y = sqrt(x = s);"),
       body(kT + "s = square(x = a);" + kT + "y = sqrt(x = s);")},
      {"C95",
       {"m1", "e5rt"},
       of("[1, 1, 1, 1024]", "tensor<fp16, [1024]> g = const()[val = tensor<fp16, [1024]>(BLOBFILE(path = "
                             "string(\"@model_path/w.bin\"), offset = uint64(64)))]; tensor<fp16, [1, 1, 1, 1024]> y = "
                             "layer_norm(axes = tensor<int32, [1]>([3]), beta = g, gamma = g, x = a);"),
       of("[1, 1, 1, 1023]", "tensor<fp16, [1023]> g = const()[val = tensor<fp16, [1023]>(BLOBFILE(path = "
                             "string(\"@model_path/w.bin\"), offset = uint64(64)))]; tensor<fp16, [1, 1, 1, 1023]> y = "
                             "layer_norm(axes = tensor<int32, [1]>([3]), beta = g, gamma = g, x = a);")},
      {"C109",
       m3,
       {"tensor<fp16, [1, 1, 64, 96]> a, tensor<fp16, [1, 1, 48, 64]> b",
        "tensor<fp16, [1, 1, 64, 48]> s = slice_by_size(begin = tensor<int32, [4]>([0, 0, 0, 0]), size = tensor<int32, "
        "[4]>([1, 1, 64, 48]), x = a); tensor<fp16, [1, 1, 64, 64]> y = matmul(x = s, y = b);"},
       {kTwo, kSquare + "y = matmul(x = a, y = b);"}},
      {"C111", m3, body(slice("s", "32") + slice("t", "0") + joined),
       body(slice("s", "32") +
            "tensor<fp16, [1, 8, 1, 32]> r = relu(x = s); tensor<fp16, [1, 8, 1, 32]> t = abs(x = s);" + joined)},
      {"C112",
       m3,
       {"tensor<fp16, [2, 8, 1, 64]> a, tensor<fp16, [1, 8, 1, 64]> b",
        "tensor<fp16, [2, 8, 1, 64]> y = mul(x = a, y = b);"},
       {"tensor<fp16, [2, 8, 1, 64]> a, tensor<fp16, [2, 8, 1, 64]> b",
        "tensor<fp16, [2, 8, 1, 64]> y = mul(x = a, y = b);"}},
      {"C113", os27,
       body("tensor<fp16, [1, 1, 1, 64]> k = const()[val = tensor<fp16, [1, 1, 1, 64]>(BLOBFILE(path = "
            "string(\"@model_path/w.bin\"), offset = uint64(64)))];" +
            kT + "y = add(x = a, y = k);"),
       body("tensor<fp16, [1, 8, 1, 1]> k = const()[val = tensor<fp16, [1, 8, 1, 1]>(BLOBFILE(path = "
            "string(\"@model_path/w.bin\"), offset = uint64(64)))];" +
            kT + "y = add(x = a, y = k);")},
      {"C114", os27,
       of("[1, 1, 32, 257]",
          "tensor<fp16, [1, 1, 32, 257]> s = softmax(axis = int32(-1), x = a); tensor<fp16, [1, 1, 32, "
          "32]> y = matmul(transpose_y = bool(true), x = s, y = a);"),
       of("[1, 1, 32, 256]",
          "tensor<fp16, [1, 1, 32, 256]> s = softmax(axis = int32(-1), x = a); tensor<fp16, [1, 1, 32, "
          "32]> y = matmul(transpose_y = bool(true), x = s, y = a);")},
      {"C116", m1e5rt,
       body(kNames +
            "tensor<fp16, [1, 96, 1, 64]> y = concat(axis = first, interleave = il, values = (a, a, a, a, a, a, "
            "a, a, a, a, a, a));"),
       body(kNames +
            "tensor<fp16, [1, 88, 1, 64]> y = concat(axis = first, interleave = il, values = (a, a, a, a, a, a, "
            "a, a, a, a, a));")},
      {"C117",
       {"m5"},
       of("[1, 9217, 1, 64]", "tensor<fp16, [1, 9217, 1, 64]> s = pad(pad = tensor<int32, [2]>([0, 0]), x = a); "
                              "tensor<fp16, [1, 9217, 1, 64]> y = add(x = s, y = a);"),
       of("[1, 9216, 1, 64]",
          "tensor<fp16, [1, 9216, 1, 64]> s = pad(pad = tensor<int32, [2]>([0, 0]), x = a); tensor<fp16, "
          "[1, 9216, 1, 64]> y = add(x = s, y = a);")},
  };
}

} // namespace ane::rt::lint
