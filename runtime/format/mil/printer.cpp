//===- printer.cpp - Syntax tree to MIL text ------------------------------===//
#include "runtime/format/mil/printer.h"
#include "runtime/format/mil/literal.h"

#include <utility>

namespace ane::rt::mil {
namespace {

class Printer {
public:
  std::string out;

  void print(const Program &program) {
    out += "program(" + program.version + ")\n";
    if (!program.attributes.empty()) {
      printAttributes(program.attributes);
      out += '\n';
    }
    out += "{\n";
    for (const Function &function : program.functions)
      print(function);
    out += "}\n";
  }

  void print(const Statement &statement) {
    for (size_t i = 0; i < statement.results.size(); ++i) {
      out += i ? ", " : "";
      print(statement.results[i]);
    }
    out += (statement.results.empty() ? "" : " = ") + statement.op + "(";
    printNamed(statement.arguments);
    out += ')';
    printAttributes(statement.attributes);
    out += ';';
  }

  void print(const Value &value) {
    switch (value.kind) {
    case Value::Kind::Reference:
      out += value.name;
      return;
    case Value::Kind::Blob:
      out += value.type.str() + "(BLOBFILE(path = ";
      printBlobField(ElementType::String, quote(value.path));
      out += ", offset = ";
      printBlobField(ElementType::UInt64, std::to_string(value.offset));
      out += "))";
      return;
    case Value::Kind::Tuple:
      wrap(value, [&] {
        out += '(';
        for (size_t i = 0; i < value.items.size(); ++i) {
          out += i ? ", " : "";
          print(value.items[i]);
        }
        out += ')';
      });
      return;
    case Value::Kind::Dict:
      wrap(value, [&] {
        out += '{';
        for (size_t i = 0; i + 1 < value.items.size(); i += 2) {
          out += i ? ", {" : "{";
          print(value.items[i]);
          out += ", ";
          print(value.items[i + 1]);
          out += '}';
        }
        out += '}';
      });
      return;
    case Value::Kind::Elements:
      wrap(value, [&] { printElements(value); });
      return;
    }
  }

  /// The spelling of the scalars inside BLOBFILE follows the version.
  bool longScalars = false;

private:
  void print(const Function &function) {
    out += "    func " + function.name + "<" + function.opset + ">(";
    for (size_t i = 0; i < function.params.size(); ++i) {
      out += i ? ", " : "";
      print(function.params[i]);
    }
    out += ") ";
    if (!function.attributes.empty()) {
      printAttributes(function.attributes);
      out += ' ';
    }
    out += "{\n";
    for (const Statement &statement : function.statements) {
      out += "        ";
      print(statement);
      out += '\n';
    }
    out += "    } -> (";
    for (size_t i = 0; i < function.outputs.size(); ++i)
      out += (i ? ", " : "") + function.outputs[i];
    out += ");\n";
  }

  void print(const Variable &variable) { out += variable.type.str() + " " + variable.name; }

  void printNamed(const std::vector<NamedValue> &values) {
    for (size_t i = 0; i < values.size(); ++i) {
      out += (i ? ", " : "") + values[i].name + " = ";
      print(values[i].value);
    }
  }

  void printAttributes(const std::vector<NamedValue> &values) {
    if (values.empty())
      return;
    out += '[';
    printNamed(values);
    out += ']';
  }

  template <typename Body>
  void wrap(const Value &value, Body body) {
    if (value.typed)
      out += value.type.str() + "(";
    body();
    if (value.typed)
      out += ')';
  }

  void printBlobField(ElementType dtype, const std::string &text) {
    Type type = longScalars ? Type::tensor(dtype, {}) : Type::scalar(dtype);
    out += type.str() + "(" + text + ")";
  }

  void printElements(const Value &value) {
    bool isList = value.type.isTensor() && !value.type.dims.empty();
    out += isList ? "[" : "";
    size_t index = 0;
    auto separate = [&] { out += index++ ? ", " : ""; };
    for (double element : value.floats) {
      separate();
      out += value.typed ? formatFloat(element) : bareFloat(element);
    }
    for (int64_t element : value.ints) {
      separate();
      out += formatInteger(element, value.type.dtype);
    }
    for (const std::string &element : value.strings) {
      separate();
      out += quote(element);
    }
    out += isList ? "]" : "";
  }

  /// Without a type only the spelling tells a float from a name.
  static std::string bareFloat(double value) {
    std::string text = formatFloat(value);
    return text[0] == 'i' || text[0] == 'n' ? "+" + text : text;
  }

  static std::string quote(const std::string &text) {
    std::string quoted = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\')
        quoted += '\\';
      if (c == '\n')
        quoted += "\\n";
      else if (c == '\t')
        quoted += "\\t";
      else
        quoted += c;
    }
    return quoted + "\"";
  }
};

} // namespace

std::string print(const Program &program) {
  Printer printer;
  printer.longScalars = program.version == "1.0";
  printer.print(program);
  return std::move(printer.out);
}

std::string print(const Value &value) {
  Printer printer;
  printer.print(value);
  return std::move(printer.out);
}

std::string print(const Statement &statement) {
  Printer printer;
  printer.print(statement);
  return std::move(printer.out);
}

} // namespace ane::rt::mil
