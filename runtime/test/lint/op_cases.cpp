//===- op_cases.cpp - Single operations -----------------------------------===//

#include "runtime/test/lint/cases.h"

#include <algorithm>

namespace ane::rt::lint {
namespace {

/// A convolution with a weight of `shape` in a file.
CaseProgram conv(const std::string &in, const std::string &weight, const std::string &out,
                 const std::string &op = "conv", const std::string &strides = "1, 1") {
  return {"tensor<fp16, " + in + "> a", "tensor<fp16, " + weight + "> w = const()[val = tensor<fp16, " + weight +
                                            ">(BLOBFILE(path = string(\"@model_path/w.bin\"), offset = "
                                            "uint64(64)))];\n"
                                            "tensor<int32, [2]> st = const()[val = tensor<int32, [2]>([" +
                                            strides + "])];\ntensor<fp16, " + out + "> y = " + op +
                                            "(strides = st, weight = w, x = a);"};
}

CaseProgram one(const std::string &statement, const std::string &opset = "ios16") {
  return {kA, kT + "y = " + statement + ";", "y", opset};
}

CaseProgram pool(const std::string &window) {
  return one("max_pool(kernel_sizes = tensor<int32, [2]>([" + window + "]), x = a)");
}

/// A product over an axis of `depth`.
CaseProgram deepProduct(const std::string &depth) {
  return {"tensor<fp16, [1, 1, 64, " + depth + "]> a",
          "bool t = const()[val = bool(true)]; bool f = const()[val = bool(false)];"
          "tensor<fp16, [1, 1, 64, 64]> y = matmul(transpose_x = f, transpose_y = t, x = a, y = a);"};
}

/// A reflecting pad.
CaseProgram padded(const std::string &amounts, const std::string &out) {
  std::string count = std::to_string(std::count(amounts.begin(), amounts.end(), ',') + 1);
  return {kA, "tensor<fp16, " + out + "> y = pad(mode = string(\"reflect\"), pad = tensor<int32, [" + count + "]>(" +
                  amounts + "), x = a);"};
}

} // namespace

std::vector<RuleCase> opCases() {
  TargetSpelling evidence{"m4", "", "", "evidence"};
  const std::string flags = "bool t = const()[val = bool(true)]; bool f = const()[val = "
                            "bool(false)];";
  const std::string joined = "tensor<fp16, [1, 16, 1, 64]> ";
  const std::string scaled = "tensor<fp16, [1, 1, 1, 64]> m = reduce_max(axes = tensor<int32, "
                             "[1]>([1]), keep_dims = bool(true), x = a);" +
                             kT + "s = real_div(x = a, y = m);" + kT + "q = mul(x = s, y = s);";
  const std::string sum = "tensor<fp16, [1, 1, 1, 64]> y = reduce_sum(axes = tensor<int32, "
                          "[1]>([1]), keep_dims = bool(true), x = q);";
  const std::string sumOfA = "tensor<fp16, [1, 1, 1, 64]> y = reduce_sum(axes = tensor<int32, "
                             "[1]>([1]), keep_dims = bool(true), x = a);";
  return {
      {"C01",
       evidence,
       {kA,
        joined + "y = concat(axis = int32(1), interleave = bool(false), "
                 "values = (a, a));",
        "y", "ios16", "1.0", true},
       {kA, "int32 ax = const()[val = int32(1)]; bool il = const()[val = "
            "bool(false)];" +
                joined + "y = concat(axis = ax, interleave = il, values = (a, a));"}},
      {"C01",
       evidence,
       {kA, "int32 ax = const()[val = int32(1)];" + joined + "y = concat(axis = ax, values = (a, a));"},
       {kA, kT + "y = relu(x = a);"}},
      {"C12",
       {},
       {kA,
        "tensor<fp16, [1, 8, 64, 64]> y = matmul(transpose_x = true, x = "
        "a, y = a);",
        "y", "ios16", "1.0", true},
       {kA, flags + "tensor<fp16, [1, 8, 64, 64]> y = matmul(transpose_x = t, "
                    "transpose_y = f, x = a, y = a);"}},
      {"C16",
       {},
       conv("[1, 8, 1, 64]", "[32000, 8, 1, 1]", "[1, 32000, 1, 64]"),
       conv("[1, 8, 1, 64]", "[31999, 8, 1, 1]", "[1, 31999, 1, 64]")},
      {"C16", evidence, conv("[1, 8, 1, 64]", "[62081, 8, 1, 1]", "[1, 62081, 1, 64]"),
       conv("[1, 8, 1, 64]", "[62080, 8, 1, 1]", "[1, 62080, 1, 64]")},
      {"C17",
       {},
       {"tensor<fp16, [8, 64]> a", "tensor<fp16, [64, 64]> w = const()[val = tensor<fp16, [64, "
                                   "64]>(BLOBFILE(path = string(\"@model_path/w.bin\"), offset = "
                                   "uint64(64)))]; tensor<fp16, [8, 64]> y = matmul(x = a, y = w);"},
       {"tensor<fp16, [8, 64]> a, tensor<fp16, [64, 64]> w", "tensor<fp16, [8, 64]> y = matmul(x = a, y = w);"}},
      {"C23",
       {},
       {"tensor<int32, [1, 8, 1, 64]> a", "tensor<int32, [1, 8, 1, 64]> y = abs(x = a);"},
       one("abs(x = a)")},
      {"C29",
       {},
       one("scaled_dot_product_attention(key = a, query = a, value = a)"),
       one("scaled_dot_product_attention(key = a, query = a, value = a)", "ios18")},
      {"C29", {"m1"}, one("relu(x = a)", "ios18"), one("relu(x = a)")},
      {"C29", {}, one("relu(x = a)", "ios26"), one("relu(x = a)", "ios18")},
      {"C29", {}, one("relu(x = a)", "macos"), {}},
      // Core ML: the macOS decides, not the chip.
      {"C29", {"m1", "coreml", "14"}, one("relu(x = a)", "ios18"), one("relu(x = a)", "ios17")},
      {"C29", {"m4", "coreml", "13"}, one("relu(x = a)", "ios17"), one("relu(x = a)", "ios16")},
      {"C29", {"m1", "e5rt", "12"}, one("relu(x = a)", "ios16"), one("relu(x = a)", "ios15")},
      {"C29",
       {"m1", "coreml", "15"},
       {kA, kT + "y = relu(x = a);", "y", "ios18", "1.5"},
       {kA, kT + "y = relu(x = a);", "y", "ios18", "1.3"}},
      {"C29", {"m2"}, {kA, kT + "y = relu(x = a);", "y", "ios16", "1.3"}, one("relu(x = a)")},
      {"C191", {"m4", "netlist"}, one("relu(x = a)"), {}},
      {"C47",
       {},
       one("upsample_bilinear(align_corners = bool(false), x = a)"),
       one("upsample_bilinear(align_corners = bool(true), x = a)")},
      {"C47",
       {},
       one("resize_bilinear(sampling_mode = string(\"UNALIGN_CORNERS\"), x = "
           "a)"),
       one("resize_bilinear(sampling_mode = string(\"ALIGN_CORNERS\"), x = "
           "a)")},
      {"C54", {}, one("log(epsilon = fp16(0x0p+0), x = a)"), one("log(epsilon = fp16(0x1p-16), x = a)")},
      {"C54", {"m4", "e5rt"}, {}, one("log(epsilon = fp16(0x0p+0), x = a)")},
      {"C54",
       {},
       {kA, kT + "m = maximum(x = a, y = fp16(0x1p-20));" + kT + "y = log(epsilon = fp16(0x0p+0), x = m);"},
       {kA, kT + "m = maximum(x = a, y = fp16(0x1p-16));" + kT + "y = log(epsilon = fp16(0x0p+0), x = m);"}},
      {"C56", {}, {kA, kT + "q = mul(x = a, y = a);" + sum}, {kA, scaled + sum}},
      {"C56", {}, one("layer_norm(x = a)"), one("relu(x = a)")},
      {"C81",
       {},
       {kA, kT + "t = tanh(x = a);" + kT + "y = mul(x = t, y = fp16(0x1p-15));"},
       {kA, kT + "t = tanh(x = a);" + kT + "y = mul(x = t, y = fp16(0x1p-14));"}},
      {"C57", {}, {"tensor<fp16, [1, 256, 1, 64]> a", sumOfA}, {"tensor<fp16, [1, 255, 1, 64]> a", sumOfA}},
      {"C60",
       {},
       one("pad(mode = string(\"reflect\"), pad = tensor<int32, [2]>([1, 1]), "
           "x = a)"),
       one("pad(mode = string(\"constant\"), pad = tensor<int32, [4]>([0, 0, "
           "1, 1]), x = a)")},
      {"C60",
       {},
       one("pad(pad = tensor<int32, [6]>([1, 0, 0, 0, 0, 0]), x = a)"),
       one("pad(pad = tensor<int32, [6]>([0, 0, 1, 0, 0, 0]), x = a)")},
      {"C61",
       {},
       {kA, "tensor<int32, [1, 8, 1, 64]> i = cast(dtype = string(\"int32\"), "
            "x = a);" +
                kT + "y = cast(dtype = string(\"fp16\"), x = i);"},
       {kA, "tensor<bool, [1, 8, 1, 64]> i = cast(dtype = string(\"bool\"), x "
            "= a);" +
                kT + "y = cast(dtype = string(\"fp16\"), x = i);"}},
      {"C63",
       {},
       conv("[1, 8, 4, 4, 64]", "[8, 8, 1, 1, 1]", "[1, 8, 4, 4, 64]"),
       conv("[1, 8, 4, 64]", "[8, 8, 1, 1]", "[1, 8, 4, 64]")},
      {"C64",
       {"m1"},
       conv("[1, 8, 1, 64]", "[8, 8, 1, 14]", "[1, 8, 1, 51]"),
       conv("[1, 8, 1, 64]", "[8, 8, 14, 13]", "[1, 8, 1, 52]")},
      // Of several chips the narrowest decides.
      {"C64",
       {"h13,h16,h17"},
       conv("[1, 8, 1, 64]", "[8, 8, 1, 14]", "[1, 8, 1, 51]"),
       conv("[1, 8, 1, 64]", "[8, 8, 14, 13]", "[1, 8, 1, 52]")},
      {"C64",
       {"m5"},
       conv("[1, 8, 1, 64]", "[8, 8, 1, 16]", "[1, 8, 1, 49]"),
       conv("[1, 8, 1, 64]", "[8, 8, 1, 15]", "[1, 8, 1, 50]")},
      {"C64",
       {"m4"},
       conv("[1, 8, 1, 64]", "[8, 8, 1, 9]", "[1, 8, 1, 28]", "conv", "1, 2"),
       conv("[1, 8, 1, 64]", "[8, 8, 1, 8]", "[1, 8, 1, 29]", "conv", "1, 2")},
      {"C65", {"m5", "in_memory", "27"}, one("pow(x = a, y = fp16(0x1p+1))"), one("pow(x = a, y = a)")},
      {"C67", {"m1"}, pool("30, 1"), pool("29, 1")},
      {"C68", {"m4", "e5rt"}, one("identity(x = a)"), one("rsqrt(x = a)")},
      {"C220", {}, pool("1, 9"), pool("9, 8")},
      {"C221",
       {},
       conv("[1, 8, 64, 64]", "[8, 8, 32, 1]", "[1, 8, 33, 64]"),
       conv("[1, 8, 64, 64]", "[8, 8, 31, 1]", "[1, 8, 34, 64]")},
      {"C222", {}, deepProduct("32800"), deepProduct("32768")},
      {"C223",
       {"m4", "coreml", "27"},
       padded("[1, 1, 0, 0, 0, 0]", "[1, 10, 1, 64]"),
       padded("[1, 1]", "[1, 8, 1, 66]")},
      {"C67", {"m2"}, pool("32, 1"), pool("31, 1")},
  };
}

} // namespace ane::rt::lint
