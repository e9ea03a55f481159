//===- chat_template.cpp - From messages to a model's text ----------------===//
#include "runtime/text/template/chat_template.h"
#include "absl/strings/str_cat.h"
#include "runtime/text/template/evaluator.h"
#include "runtime/text/template/parser.h"

#include <new>

namespace ane::rt::text {

struct ChatTemplate::Parsed {
  std::string name;
  jinja::Body body;
};

namespace {

constexpr size_t kMaxSource = 1 << 20;

absl::Status errorAt(const std::string &name, jinja::Position at, const std::string &message) {
  return absl::InvalidArgumentError(absl::StrCat(name, ":", at.line, ":", at.column, ": ", message));
}

std::vector<Piece> piecesOf(const jinja::Text &text) {
  std::vector<Piece> pieces;
  size_t begin = 0;
  auto add = [&](size_t end, bool fromTemplate) {
    if (end > begin)
      pieces.push_back({text.bytes.substr(begin, end - begin), fromTemplate});
    begin = end;
  };
  for (const jinja::Text::Range &range : text.foreign) {
    add(range.begin, true);
    add(range.end, false);
  }
  add(text.size(), true);
  return pieces;
}

} // namespace

absl::StatusOr<ChatTemplate> ChatTemplate::parse(std::string_view source, const std::string &name) {
  if (source.size() > kMaxSource)
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": the template has ", source.size(), " bytes, at most ", kMaxSource, " are read"));
  if (!jinja::isUtf8(source))
    return absl::InvalidArgumentError(absl::StrCat(name, ": the template is no UTF-8 text"));
  try {
    auto parsed = std::make_shared<Parsed>();
    parsed->name = name;
    parsed->body = jinja::Parser(jinja::tokenize(source)).parse();
    ChatTemplate result;
    result.parsed = std::move(parsed);
    return result;
  } catch (const jinja::PlacedFailure &failure) {
    return errorAt(name, failure.at, failure.message);
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError(absl::StrCat(name, ": there is not enough memory to read the template"));
  }
}

absl::StatusOr<std::vector<Piece>> ChatTemplate::render(const nlohmann::ordered_json &variables,
                                                        const RenderOptions &options) const {
  jinja::Budget budget(options.maxSteps);
  jinja::Evaluator evaluator(options.now, options.maxOutputBytes, budget);
  try {
    std::vector<std::pair<std::string, jinja::Value>> values;
    for (const auto *object : {&options.trusted, &variables}) {
      if (!object->is_object())
        return absl::InvalidArgumentError(absl::StrCat(parsed->name, ": the variables are no JSON object"));
      for (const auto &[name, value] : object->items())
        values.emplace_back(name, jinja::Value::fromJson(value, object == &options.trusted, budget));
    }
    return piecesOf(evaluator.run(parsed->body, std::move(values)));
  } catch (const jinja::Failure &failure) {
    return errorAt(parsed->name, evaluator.position, failure.message);
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError(absl::StrCat(parsed->name, ": there is not enough memory for this chat"));
  }
}

} // namespace ane::rt::text
