//===- lint_program_cases.cpp - Functions as a whole ----------------------===//

#include "runtime/test/emulator/lint_cases.h"

namespace ane::rt::lint {

std::string CaseProgram::text() const {
  return "program(" + version +
         ")\n[buildInfo = dict<string, string>({})]\n{\n  func main<" + opset +
         ">(" + parameters + ") {\n" + statements + "\n  } -> (" + results +
         ");\n}\n";
}

std::vector<RuleCase> programCases() {
  const std::string relu = kT + "y = relu(x = a)[name = string(\"y\")];";
  const std::string two = kA + ", tensor<fp16, [1, 8, 1, 64]> b";
  const std::string twoSwapped =
      "tensor<fp16, [1, 8, 1, 64]> b, " + kA;
  const std::string sum = kT + "y = add(x = a, y = b)[name = string(\"y\")];";
  const std::string twoResults = relu + "\n" + kT + "z = abs(x = a);";
  auto width = [](const std::string &w) {
    std::string type = "tensor<fp16, [1, 8, 1, " + w + "]> ";
    return CaseProgram{type + "a", type + "y = relu(x = a);"};
  };
  auto weight = [](const std::string &offset) {
    return CaseProgram{
        kA, "tensor<fp16, [1, 8, 1, 1]> w = const()[name = string(\"w\"), val "
            "= tensor<fp16, [1, 8, 1, 1]>(BLOBFILE(path = "
            "string(\"@model_path/w.bin\"), offset = uint64(" +
                offset + ")))];\n" + kT + "y = mul(x = a, y = w);"};
  };
  return {
      {"C03", {}, {kA, twoResults, "z, y"}, {kA, twoResults, "y, z"}},
      {"C19", {}, {twoSwapped, sum}, {two, sum}},
      {"C08", {}, weight("32"), weight("64")},
      {"C08", {}, weight("96"), weight("128")},
      {"C14",
       {},
       {kA, relu + "\n" + kT + "dead = abs(x = a);"},
       {kA, twoResults, "y, z"}},
      {"C14", {}, {kA, relu, "y, gone"}, {kA, relu}},
      {"C14", {}, {kA, relu, "y, y"}, {kA, relu}},
      {"C24", {}, width("48"), width("96")},
      {"C25", {}, width("16"), width("32")},
      {"C30", {"h11"}, {kA, relu}, {}},
      {"C50",
       {},
       {kA, relu + kT + "z = identity(x = y);", "z"},
       {kA, relu + kT + "z = identity(x = y);" + kT + "zz = abs(x = a);",
        "z, zz"}},
      {"C51", {}, {kA, relu, "a, y"}, {kA, relu}},
      {"C51",
       {},
       {kA, relu + kT + "k = const()[val = " + kT + "(BLOBFILE(path = "
                        "string(\"@model_path/w.bin\"), offset = "
                        "uint64(64)))];",
        "k, y"},
       {kA, relu}},
      {"C52",
       {},
       {kA, relu + kT + "z = abs(x = y);", "y, z"},
       {kA, twoResults, "y, z"}},
      {"C55",
       {},
       {kA, kT + "y = add(x = a, y = fp16(-inf));"},
       {kA, kT + "y = add(x = a, y = fp16(-30000));"}},
      {"C55",
       {},
       {kA, "fp16 k = const()[val = fp16(70000)];" + kT +
                "y = add(x = a, y = k);"},
       {kA, "fp16 k = const()[val = fp16(65504)];" + kT +
                "y = add(x = a, y = k);"}},
  };
}

} // namespace ane::rt::lint
