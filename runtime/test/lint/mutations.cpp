//===- mutations.cpp - An emitted program, damaged ------------------------===//

#include "runtime/test/lint/mutations.h"
#include "runtime/test/lint/cases.h"
#include "runtime/test/lint/made_cases.h"

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

namespace ane::rt::lint {
namespace {

std::string replaced(const std::string &text, const std::string &what, const std::string &by) {
  std::string result = text;
  size_t at = result.find(what);
  if (at == std::string::npos)
    std::abort(); // the emitted program has changed
  while (at != std::string::npos) {
    result.replace(at, what.size(), by);
    at = result.find(what, at + by.size());
  }
  return result;
}

const std::string kLast = "out00 = relu(x = add_0)";

/// The emitted program with another operation at its end.
std::string endingIn(const std::string &operation) { return replaced(emittedText(), kLast, "out00 = " + operation); }

/// With further statements and results.
std::string with(const std::string &statements, const std::string &results) {
  return replaced(emittedText(), "    } -> (out00);", statements + "\n    } -> (" + results + ");");
}

/// The statements of a case in place of the last operation: its parameter is
/// the value before, its result the program's.
std::string spliced(const CaseProgram &one) {
  std::string body = std::regex_replace(one.statements, std::regex("\\ba\\b"), "add_0");
  body = std::regex_replace(body, std::regex("> y = "), "> out00 = ");
  body = std::regex_replace(body, std::regex("w\\.bin"), "weights/w.bin");
  std::string text =
      std::regex_replace(emittedText(), std::regex("tensor<fp16, \\[1, 8, 1, 64\\]> out00 = relu[^\\n]*"), body);
  text = replaced(text, "ios16", one.opset);
  return replaced(text, "program(1.0)", "program(" + one.version + ")");
}

/// The case beside the emitted operations, with parameters and a result of its
/// own; "" when it has no parameter.
std::string beside(const CaseProgram &one) {
  std::string body = one.statements, parameters = one.parameters, names;
  std::regex parameter("> (\\w+)(,|$)");
  std::string renamed;
  int count = 0;
  for (std::smatch found; std::regex_search(parameters, found, parameter);) {
    std::string name = "in0" + std::to_string(++count);
    renamed += found.prefix().str() + "> " + name + found[2].str();
    body = std::regex_replace(body, std::regex("= " + found[1].str() + "\\b(?! =)"), "= " + name);
    body = std::regex_replace(body, std::regex("([(,] ?)" + found[1].str() + "\\b(?! =)"), "$1" + name);
    parameters = found.suffix();
  }
  body = std::regex_replace(body, std::regex("> y = "), "> out01 = ");
  std::string text = replaced(emittedText(), "64]> in00)", "64]> in00, " + renamed + ")");
  text = replaced(text, "ios16", one.opset);
  return replaced(text, "    } -> (out00);", body + "\n    } -> (out00, out01);");
}

} // namespace

std::string emittedText() {
  std::ifstream file(ANE_EMITTED_PROGRAM);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Mutation> mutationsOf(const Record &record) {
  std::vector<RuleCase> cases = madeCases(record);
  for (auto more : {programCases(), opCases(), formCases(), neighbourCases()})
    for (RuleCase &one : more)
      if (one.id == record.id)
        cases.push_back(std::move(one));
  std::vector<Mutation> result;
  for (const RuleCase &one : cases) {
    const CaseProgram &program = one.illegal;
    if (program.statements.empty() || program.results != "y")
      continue;
    std::string text = program.parameters == kA ? spliced(program) : beside(program);
    result.push_back({one.id, one.target, program.asWritten ? text : withNamedLiterals(text), nullptr});
  }
  return result;
}

/// The emitted program with a copy of its function before it, whose inputs and outputs are called alike.
static std::string twice() {
  std::string text = emittedText();
  size_t begin = text.find("    func main"), end = text.rfind('}');
  std::string function = text.substr(begin, end - begin);
  return text.substr(0, begin) + replaced(function, "func main", "func other") + text.substr(begin);
}

std::vector<Mutation> handMadeMutations() {
  const std::string port = "tensor<fp16, [1, 8, 1, 64]> ";
  auto bytes = [](size_t input, size_t output) {
    return [=](ProgramDesc &desc) {
      if (input)
        desc.procedures[0].inputs.back().bytes = static_cast<int64_t>(input);
      if (output)
        desc.procedures[0].outputs.back().bytes = static_cast<int64_t>(output);
    };
  };
  const std::string twoInputs = replaced(replaced(emittedText(), "64]> in00)", "64]> in00, " + port + "in01)"), kLast,
                                         "out00 = add(x = add_0, y = in01)");
  const std::string twoOutputs = with(port + "out01 = abs(x = add_0);", "out00, out01");
  return {
      {"C02", {}, twoOutputs, bytes(0, 65536)},
      {"C03", {}, with(port + "aside = sub(x = in00, y = add_0);", "out00, aside"), {}},
      {"C04", {}, emittedText(), bytes(49151, 49151)},
      {"C06",
       {},
       replaced(endingIn("scaled_dot_product_attention(attn_mask = const_0, "
                         "key = add_0, query = add_0, value = add_0)"),
                "ios16", "ios18"),
       {}},
      {"C08", {}, replaced(emittedText(), "(64)))", "(128)))"), {}},
      {"C08", {}, replaced(emittedText(), "(64)))", "(32)))"), {}},
      {"C14", {}, with(port + "dead = abs(x = add_0);", "out00"), {}},
      {"C14", {}, with("", "out00, out00"), {}},
      {"C18", {}, twoInputs, bytes(65536, 0)},
      {"C19", {}, replaced(twoInputs, "in01", "extra"), {}},
      {"C20", {"m4", "e5rt"}, replaced(emittedText(), "64]>", "48]>"), {}},
      {"C24", {}, replaced(emittedText(), "64]>", "48]>"), {}},
      {"C25",
       {},
       withNamedLiterals(replaced(emittedText(), "64]> " + kLast,
                                  "16]> out00 = slice_by_size(begin = pad_0, size = tensor<int32, "
                                  "[4]>([1, 8, 1, 16]), x = add_0)")),
       {}},
      {"C138", {}, emittedText(), bytes(49216, 49216)},
      {"C142", {}, twice(), {}},
      {"C200", {"m4", "e5rt"}, twice(), {}},
      {"C136", {"m1"}, twoInputs, [](ProgramDesc &desc) { desc.procedures[0].inputs.front().bytes = 65536; }},
      {"C30", {"h11"}, emittedText(), {}},
      {"C48", {}, withNamedLiterals(endingIn("tile(reps = tensor<int32, [4]>([1, 1, 1, 1]), x = add_0)")), {}},
      {"C50", {}, endingIn("identity(x = add_0)"), {}},
      {"C51", {}, with("", "in00, out00"), {}},
      {"C51", {}, with("", "const_0, out00"), {}},
      {"C52", {}, with("", "add_0, out00"), {}},
      {"C53",
       {},
       replaced(replaced(replaced(emittedText(), "weight = weight_0", "weight = w"), "64]> in00)",
                         "64]> in00, tensor<fp16, [1, 1, 1, 64]> in01)"),
                port + "conv_0 = conv(",
                "tensor<int32, [4]> s = const()[val = tensor<int32, [4]>([8, "
                "8, 1, 1])]; tensor<fp16, [8, 8, 1, 1]> w = reshape(shape = s, "
                "x = in01); " +
                    port + "conv_0 = conv("),
       {}},
      {"C55", {}, replaced(emittedText(), "-0x1.1ap+1", "-inf"), {}},
  };
}

} // namespace ane::rt::lint
