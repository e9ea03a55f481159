//===- form_cases.cpp - Forms and extents of single operations ------------===//

#include "runtime/test/lint/cases.h"

namespace ane::rt::lint {
namespace {

CaseProgram of(const std::string &in, const std::string &statements, const std::string &opset = "ios16") {
  return {"tensor<fp16, " + in + "> a", statements, "y", opset};
}

/// A weight of `shape`, as the constant w.
std::string weight(const std::string &shape) {
  return "tensor<fp16, " + shape + "> w = const()[val = tensor<fp16, " + shape +
         ">(BLOBFILE(path = string(\"@model_path/w.bin\"), offset = uint64(64)))];";
}

CaseProgram conv(const std::string &in, const std::string &kernel, const std::string &out,
                 const std::string &more = "") {
  return of(in, weight(kernel) + "tensor<fp16, " + out + "> y = conv(" + more + "weight = w, x = a);");
}

/// A convolution whose weight is an input.
CaseProgram runtimeConv(const std::string &batch, const std::string &more) {
  return {"tensor<fp16, [" + batch + ", 8, 1, 64]> a, tensor<fp16, [1, 1, 1, 64]> b",
          "tensor<fp16, [8, 8, 1, 1]> w = reshape(shape = tensor<int32, [4]>([8, 8, 1, 1]), x = b); tensor<fp16, [" +
              batch + ", 8, 1, 64]> y = conv(" + more + "weight = w, x = a);"};
}

CaseProgram windowed(const std::string &arguments) {
  return of("[1, 8, 32, 64]", "tensor<fp16, [1, 8, 32, 64]> y = " + arguments + ";");
}

/// A const of `bits` expanded by a constexpr op, as a weight.
CaseProgram constexprWeight(const std::string &dtype, const std::string &op, const std::string &scale,
                            const std::string &data, const std::string &opset = "ios18") {
  std::string quantised = "tensor<" + dtype + ", [8, 8, 1, 1]>";
  return of(
      "[1, 8, 1, 64]",
      quantised + " q = const()[val = " + quantised +
          "(BLOBFILE(path = string(\"@model_path/w.bin\"), offset = uint64(64)))]; tensor<fp16, " + scale +
          "> s = const()[val = tensor<fp16, " + scale +
          ">(BLOBFILE(path = string(\"@model_path/s.bin\"), offset = uint64(64)))]; tensor<fp16, [8, 8, 1, 1]> w = " +
          op + "(" + data + " = q, scale = s); tensor<fp16, [1, 8, 1, 64]> y = conv(weight = w, x = a);",
      opset);
}

/// A weight from a palette, with scales of that shape if there is one.
CaseProgram palette(const std::string &scale) {
  std::string text =
      "tensor<uint4, [8, 8, 1, 1]> i = const()[val = tensor<uint4, [8, 8, 1, 1]>(BLOBFILE(path = "
      "string(\"@model_path/i.bin\"), offset = uint64(64)))]; tensor<fp16, [1, 1, 1, 1, 16, 1]> l = "
      "const()[val = tensor<fp16, [1, 1, 1, 1, 16, 1]>(BLOBFILE(path = string(\"@model_path/l.bin\"), offset = "
      "uint64(64)))]; tensor<fp16, [8, 8, 1, 1]> p = constexpr_lut_to_dense(indices = i, lut = l);";
  std::string name = "p";
  if (!scale.empty()) {
    name = "w";
    text += "tensor<fp16, " + scale + "> s = const()[val = tensor<fp16, " + scale +
            ">(BLOBFILE(path = string(\"@model_path/s.bin\"), offset = uint64(64)))]; tensor<fp16, [8, 8, 1, 1]> w = "
            "constexpr_blockwise_shift_scale(data = p, scale = s);";
  }
  return of("[1, 8, 1, 64]", text + "tensor<fp16, [1, 8, 1, 64]> y = conv(weight = " + name + ", x = a);", "ios18");
}

} // namespace

std::vector<RuleCase> formCases() {
  const TargetSpelling e5rt{"m4", "e5rt", "26", "evidence"}, m5e5rt{"m5", "e5rt"}, coreml{"m4", "coreml"},
      netlist{"m1", "netlist"};
  const std::string reduce = "(axes = tensor<int32, [1]>([1]), keep_dims = bool(true), x = a);";
  return {
      {"C88",
       {},
       conv("[1, 2049, 1, 64]", "[8, 2049, 1, 1]", "[1, 8, 1, 64]"),
       conv("[1, 2048, 1, 64]", "[8, 2048, 1, 1]", "[1, 8, 1, 64]")},
      {"C98", e5rt,
       of("[1, 65537]",
          "int32 ax = const()[val = int32(0)]; bool il = const()[val = bool(false)]; tensor<fp16, [2, 65537]> y = "
          "concat(axis = ax, interleave = il, values = (a, a));"),
       of("[1, 65536]",
          "int32 ax = const()[val = int32(0)]; bool il = const()[val = bool(false)]; tensor<fp16, [2, 65536]> y = "
          "concat(axis = ax, interleave = il, values = (a, a));")},
      {"C100", e5rt, runtimeConv("2", ""), runtimeConv("1", "")},
      {"C101", e5rt, runtimeConv("1", "groups = int32(2), "), runtimeConv("1", "groups = int32(1), ")},
      {"C102", m5e5rt,
       conv("[1, 8, 64, 64]", "[8, 8, 2, 2]", "[1, 8, 32, 32]", "strides = tensor<int32, [2]>([2, 2]), "),
       conv("[1, 8, 64, 64]", "[8, 8, 3, 3]", "[1, 8, 32, 32]", "strides = tensor<int32, [2]>([2, 2]), ")},
      {"C103", e5rt, windowed("topk(k = int32(3), x = a)"), windowed("topk(k = int32(5), x = a)")},
      {"C104", netlist, of("[1, 16, 1, 64]", "tensor<fp16, [1, 16, 1, 64]> y = local_response_norm(x = a);"),
       of("[1, 15, 1, 64]", "tensor<fp16, [1, 15, 1, 64]> y = local_response_norm(x = a);")},
      {"C106",
       {"m4", "netlist"},
       of("[1, 8, 512, 64]",
          "tensor<fp16, [1, 8, 512, 64]> y = scaled_dot_product_attention(key = a, query = a, value = a);", "ios18"),
       of("[1, 8, 511, 64]",
          "tensor<fp16, [1, 8, 511, 64]> y = scaled_dot_product_attention(key = a, query = a, value = a);", "ios18")},
      {"C118",
       {},
       windowed("pixel_shuffle(upscale_factor = int32(5), x = a)"),
       windowed("pixel_shuffle(upscale_factor = int32(8), x = a)")},
      {"C119",
       {},
       windowed("max_pool(kernel_sizes = tensor<int32, [2]>([1, 1]), strides = tensor<int32, [2]>([1, 5]), x = a)"),
       windowed("max_pool(kernel_sizes = tensor<int32, [2]>([1, 1]), strides = tensor<int32, [2]>([1, 6]), x = a)")},
      {"C122",
       {"m4", "netlist"},
       of("[1, 1, 1, 2049]", "tensor<fp16, [1, 1, 1, 1]> y = reduce_argmax(axis = int32(-1), x = a);"),
       of("[1, 1, 1, 2048]", "tensor<fp16, [1, 1, 1, 1]> y = reduce_argmax(axis = int32(-1), x = a);")},
      {"C124",
       {"m1"},
       conv("[1, 8192, 1, 64]", "[8192, 1, 1, 1]", "[1, 8192, 1, 64]", "groups = int32(8192), "),
       conv("[1, 8191, 1, 64]", "[8191, 1, 1, 1]", "[1, 8191, 1, 64]", "groups = int32(8191), ")},
      {"C125", coreml,
       conv("[1, 8, 1, 64]", "[8, 8, 1, 3]", "[1, 8, 1, 60]", "dilations = tensor<int32, [2]>([1, 2]), "),
       conv("[1, 8, 1, 64]", "[8, 8, 1, 3]", "[1, 8, 1, 62]", "dilations = tensor<int32, [2]>([1, 1]), ")},
      {"C126", coreml, windowed("max_pool(kernel_sizes = tensor<int32, [2]>([14, 1]), x = a)"),
       windowed("max_pool(kernel_sizes = tensor<int32, [2]>([13, 1]), x = a)")},
      {"C126", coreml,
       windowed("avg_pool(kernel_sizes = tensor<int32, [2]>([2, 2]), strides = tensor<int32, [2]>([3, 3]), x = a)"),
       windowed("avg_pool(kernel_sizes = tensor<int32, [2]>([2, 2]), strides = tensor<int32, [2]>([2, 2]), x = a)")},
      {"C127", coreml, of("[1, 8, 4, 64]", "tensor<fp16, [1, 8, 12, 64]> y = upsample_nearest_neighbor(x = a);"),
       of("[1, 8, 4, 64]", "tensor<fp16, [1, 8, 8, 64]> y = upsample_nearest_neighbor(x = a);")},
      {"C155",
       {},
       {"tensor<bf16, [1, 8, 1, 64]> a", "tensor<bf16, [1, 8, 1, 64]> y = relu(x = a);"},
       of("[1, 8, 1, 64]", "tensor<fp16, [1, 8, 1, 64]> y = relu(x = a);")},
      {"C157",
       {},
       {"tensor<int4, [1, 8, 1, 64]> a", "tensor<fp16, [1, 8, 1, 64]> y = cast(dtype = string(\"fp16\"), x = a);", "y",
        "ios18"},
       constexprWeight("int4", "constexpr_blockwise_shift_scale", "[8, 1, 1, 1]", "data")},
      {"C158", e5rt, constexprWeight("int8", "constexpr_blockwise_shift_scale", "[8, 1, 1, 1]", "data"),
       constexprWeight("int8", "constexpr_affine_dequantize", "[]", "quantized_data")},
      {"C160",
       {},
       constexprWeight("int8", "constexpr_affine_dequantize", "[8]", "quantized_data"),
       constexprWeight("int8", "constexpr_affine_dequantize", "[]", "quantized_data")},
      {"C161",
       {},
       constexprWeight("uint8", "constexpr_affine_dequantize", "[]", "quantized_data"),
       constexprWeight("int8", "constexpr_affine_dequantize", "[]", "quantized_data")},
      {"C163", coreml, constexprWeight("int8", "constexpr_blockwise_shift_scale", "[8, 2, 1, 1]", "data"),
       constexprWeight("int8", "constexpr_blockwise_shift_scale", "[8, 1, 1, 1]", "data")},
      {"C164", coreml, constexprWeight("int4", "constexpr_blockwise_shift_scale", "[8, 2, 1, 1]", "data"),
       constexprWeight("int8", "constexpr_blockwise_shift_scale", "[8, 1, 1, 1]", "data")},
      {"C166",
       {},
       constexprWeight("int8", "constexpr_blockwise_shift_scale", "[8, 2, 1, 1]", "data"),
       constexprWeight("int8", "constexpr_blockwise_shift_scale", "[8, 1, 1, 1]", "data")},
      {"C76", e5rt, constexprWeight("int8", "constexpr_affine_dequantize", "[]", "quantized_data"),
       conv("[1, 8, 1, 64]", "[8, 8, 1, 1]", "[1, 8, 1, 64]")},
      {"C105",
       {},
       of("[3, 8, 4, 64]",
          "tensor<fp16, [1, 8, 8, 128]> y = batch_to_space(block_shape = tensor<int32, [2]>([2, 2]), x = a);"),
       of("[4, 8, 4, 64]",
          "tensor<fp16, [1, 8, 8, 128]> y = batch_to_space(block_shape = tensor<int32, [2]>([2, 2]), x = a);")},
      {"C162", {"m4", "coreml", "26"}, palette("[8, 1, 1, 1]"), palette("")},
      {"C165", coreml, palette("[8, 2, 1, 1]"), palette("[8, 1, 1, 1]")},
      {"C173",
       {},
       of("[64, 8, 1, 1]", "tensor<fp16, [64, 1, 1, 1]> y = reduce_sum" + reduce),
       of("[1, 8, 1, 64]", "tensor<fp16, [1, 1, 1, 64]> y = reduce_sum" + reduce)},
      {"C174",
       {},
       of("[1, 4, 1280, 64]", "tensor<fp16, [1, 1, 1280, 64]> y = reduce_max" + reduce),
       of("[1, 5, 1280, 64]", "tensor<fp16, [1, 1, 1280, 64]> y = reduce_max" + reduce)},
      {"C180",
       {"m4"},
       conv("[1, 5120, 1, 64]", "[8, 5120, 1, 1]", "[1, 8, 1, 64]"),
       conv("[1, 5119, 1, 64]", "[8, 5119, 1, 1]", "[1, 8, 1, 64]")},
      {"C181",
       {"m5"},
       conv("[1, 17408, 1, 64]", "[5120, 17408, 1, 1]", "[1, 5120, 1, 64]"),
       conv("[1, 17408, 1, 64]", "[17408, 17408, 1, 1]", "[1, 17408, 1, 64]")},
      {"C187",
       {"m1"},
       conv("[1, 1, 1, 1048577]", "[8, 1, 1, 1]", "[1, 8, 1, 1048577]"),
       conv("[1, 1, 1, 1048576]", "[8, 1, 1, 1]", "[1, 8, 1, 1048576]")},
      {"C189",
       {},
       conv("[1, 512, 1, 64]", "[16144, 512, 1, 1]", "[1, 16144, 1, 64]"),
       conv("[1, 512, 1, 64]", "[16128, 512, 1, 1]", "[1, 16128, 1, 64]")},
  };
}

} // namespace ane::rt::lint
