//===- program_cases.cpp - Functions as a whole ---------------------------===//

#include "runtime/format/mil/parser.h"
#include "runtime/format/mil/printer.h"
#include "runtime/test/lint/cases.h"

#include "absl/strings/match.h"

#include <cstdlib>

namespace ane::rt::lint {

std::string withNamedLiterals(const std::string &text) {
  auto program = mil::parse(text);
  if (!program.ok())
    return text; // whoever reads it next says what is wrong
  for (mil::Function &function : program->functions) {
    std::vector<mil::Statement> statements;
    for (mil::Statement &statement : function.statements) {
      if (!statement.isConst() && !absl::StartsWith(statement.op, "constexpr_") && !statement.results.empty())
        for (mil::NamedValue &argument : statement.arguments) {
          if (!argument.value.isElements())
            continue;
          mil::Statement constant;
          constant.op = "const";
          constant.results = {statement.results[0]};
          constant.results[0].name += "_" + argument.name;
          constant.results[0].type = argument.value.type;
          constant.attributes = {{"val", argument.value}};
          constant.attributes[0].value.typed = true;
          argument.value = mil::Value::reference(constant.results[0].name);
          statements.push_back(std::move(constant));
        }
      statements.push_back(std::move(statement));
    }
    function.statements = std::move(statements);
  }
  return mil::print(*program);
}

std::string CaseProgram::text() const {
  std::string text = "program(" + version + ")\n[buildInfo = dict<string, string>({})]\n{\n  func main<" + opset +
                     ">(" + parameters + ") {\n" + statements + "\n  } -> (" + results + ");\n}\n";
  return asWritten ? text : withNamedLiterals(text);
}

std::vector<RuleCase> programCases() {
  const std::string relu = kT + "y = relu(x = a)[name = string(\"y\")];";
  const std::string two = kA + ", tensor<fp16, [1, 8, 1, 64]> b";
  const std::string twoSwapped = "tensor<fp16, [1, 8, 1, 64]> b, " + kA;
  const std::string sum = kT + "y = add(x = a, y = b)[name = string(\"y\")];";
  const std::string twoResults = relu + "\n" + kT + "z = abs(x = a);";
  auto width = [](const std::string &w) {
    std::string type = "tensor<fp16, [1, 8, 1, " + w + "]> ";
    return CaseProgram{type + "a", type + "y = relu(x = a);"};
  };
  auto weight = [](const std::string &offset) {
    return CaseProgram{kA, "tensor<fp16, [1, 8, 1, 1]> w = const()[name = string(\"w\"), val "
                           "= tensor<fp16, [1, 8, 1, 1]>(BLOBFILE(path = "
                           "string(\"@model_path/w.bin\"), offset = uint64(" +
                               offset + ")))];\n" + kT + "y = mul(x = a, y = w);"};
  };
  // Products with `count` weights, each in a file of its own.
  auto files = [&](int count) {
    std::string text, last = "a";
    for (int i = 1; i <= count; ++i) {
      std::string number = std::to_string(i), next = i == count ? "y" : "v" + number;
      text += "tensor<fp16, [1, 8, 1, 1]> w" + number +
              " = const()[val = tensor<fp16, [1, 8, 1, 1]>(BLOBFILE(path = "
              "string(\"@model_path/w" +
              number +
              ".bin\"), offset = "
              "uint64(64)))];\n" +
              kT + next + " = mul(x = " + last + ", y = w" + number + ");\n";
      last = next;
    }
    return CaseProgram{kA, text};
  };
  auto softmaxes = [&](int count) {
    std::string text, last = "a";
    for (int i = 1; i <= count; ++i) {
      std::string next = i == count ? "y" : "v" + std::to_string(i);
      text += kT + next + " = softmax(axis = int32(-1), x = " + last + ");\n";
      last = next;
    }
    return CaseProgram{kA, text};
  };
  // In two parts each, which share their sum.
  auto spelledSoftmaxes = [](int count) {
    std::string text, last = "a";
    for (int i = 1; i <= count; ++i) {
      std::string n = std::to_string(i), next = i == count ? "y" : "v" + n;
      text += kT + "e" + n + " = exp(x = " + last + ");\n" + kT + "f" + n + " = exp(x = e" + n + ");\n" +
              "tensor<fp16, [1, 8, 1, 1]> s" + n +
              " = reduce_sum(axes = tensor<int32, [1]>([-1]), keep_dims = bool(true), x = e" + n + ");\n" + kT + "p" +
              n + " = real_div(x = e" + n + ", y = s" + n + ");\n" + kT + "q" + n + " = real_div(x = f" + n +
              ", y = s" + n + ");\n" + kT + next + " = add(x = p" + n + ", y = q" + n + ");\n";
      last = next;
    }
    return CaseProgram{kA, text};
  };
  auto largeWeight = [&](const std::string &outputs) {
    std::string type = "tensor<fp16, [" + outputs + ", 16384, 1, 1]>";
    return CaseProgram{"tensor<fp16, [1, 16384, 1, 64]> a",
                       type + " w = const()[val = " + type +
                           "(BLOBFILE(path = string(\"@model_path/large.bin\"), offset = "
                           "uint64(64)))];\ntensor<fp16, [1, " +
                           outputs + ", 1, 64]> y = conv(weight = w, x = a);"};
  };
  const std::string cast = kT + "y = cast(dtype = string(\"fp16\"), x = a);";
  return {
      {"C133", {}, largeWeight("45777"), largeWeight("45776")},
      {"C188", {}, largeWeight("1025"), largeWeight("1024")},
      {"C134", {}, files(17), files(16)},
      {"C135", {"m4", "e5rt"}, softmaxes(31), softmaxes(30)},
      {"C135", {"m4", "e5rt"}, spelledSoftmaxes(31), spelledSoftmaxes(30)},
      {"C136",
       {"m1"},
       {"tensor<fp16, [1, 16, 1, 64]> a, tensor<fp16, [1, 8, 1, 64]> b", kT + "y = relu(x = b);"},
       {two, sum}},
      {"C138", {}, {"tensor<fp16, [1, 1, 1, 32]> a", "tensor<fp16, [1, 1, 1, 32]> y = relu(x = a);"}, {kA, relu}},
      {"C137", {}, {"tensor<fp32, [1, 8, 1, 64]> a", cast}, {kA, relu}},
      {"C144", {}, {"tensor<fp16, [1, 8, 1, ?]> a", "tensor<fp16, [1, 8, 1, ?]> y = relu(x = a);"}, {kA, relu}},
      {"C145",
       {},
       {kA, "fp16 k = const()[val = fp16(1e-3)];" + kT + "y = add(x = a, y = k);", "y", "ios16", "1.0", true},
       {kA, "fp16 k = const()[val = fp16(0x1.06p-10)];" + kT + "y = add(x = a, y = k);", "y", "ios16", "1.0", true}},
      {"C197",
       {},
       {kA, kT + "y = add(x = a, y = fp16(0x1p+0));", "y", "ios16", "1.0", true},
       {kA, "fp16 k = const()[val = fp16(0x1p+0)];" + kT + "y = add(x = a, y = k);"}},
      // The loader of Core ML takes both.
      {"C197", {"m4", "coreml"}, {}, {kA, kT + "y = add(x = a, y = fp16(0x1p+0));", "y", "ios16", "1.0", true}},
      {"C198",
       {},
       {kA, kT + "b = abs(x = a);" + kT + "b = relu(x = b);" + kT + "y = tanh(x = b);"},
       {kA, kT + "b = abs(x = a);" + kT + "c = relu(x = b);" + kT + "y = tanh(x = c);"}},
      {"C199", {}, {kA, kT + "y = add(x = a, y = fp16(-32768));"}, {kA, kT + "y = add(x = a, y = fp16(-32752));"}},
      {"C03", {}, {kA, twoResults, "z, y"}, {kA, twoResults, "y, z"}},
      {"C19", {}, {twoSwapped, sum}, {two, sum}},
      {"C08", {}, weight("32"), weight("64")},
      {"C08", {}, weight("96"), weight("128")},
      {"C14", {}, {kA, relu + "\n" + kT + "dead = abs(x = a);"}, {kA, twoResults, "y, z"}},
      {"C14", {}, {kA, relu, "y, gone"}, {kA, relu}},
      {"C14", {}, {kA, relu, "y, y"}, {kA, relu}},
      {"C24", {}, width("48"), width("96")},
      {"C25", {}, width("16"), width("32")},
      {"C30", {"h11"}, {kA, relu}, {}},
      {"C50",
       {},
       {kA, relu + kT + "z = identity(x = y);", "z"},
       {kA, relu + kT + "z = identity(x = y);" + kT + "zz = abs(x = a);", "z, zz"}},
      {"C51", {}, {kA, relu, "a, y"}, {kA, relu}},
      {"C51",
       {},
       {kA,
        relu + kT + "k = const()[val = " + kT +
            "(BLOBFILE(path = "
            "string(\"@model_path/w.bin\"), offset = "
            "uint64(64)))];",
        "k, y"},
       {kA, relu}},
      {"C52", {}, {kA, relu + kT + "z = abs(x = y);", "y, z"}, {kA, twoResults, "y, z"}},
      {"C55", {}, {kA, kT + "y = add(x = a, y = fp16(-inf));"}, {kA, kT + "y = add(x = a, y = fp16(-30000));"}},
      {"C55",
       {},
       {kA, "fp16 k = const()[val = fp16(70000)];" + kT + "y = add(x = a, y = k);"},
       {kA, "fp16 k = const()[val = fp16(65504)];" + kT + "y = add(x = a, y = k);"}},
  };
}

} // namespace ane::rt::lint
