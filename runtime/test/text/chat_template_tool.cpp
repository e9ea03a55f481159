// chat_template_tool CASES: the file has an object a line, {"template": PATH, "now": SECONDS (UTC), "trusted": {...},
// "variables": {...}}. Prints a line for each: {"pieces": [[text, whether it is from the template], ...]} or
// {"error": message}.
#include "runtime/text/template/chat_template.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

using namespace ane::rt::text;
using nlohmann::ordered_json;

static ordered_json answer(std::map<std::string, absl::StatusOr<ChatTemplate>> &templates,
                           const ordered_json &request) {
  std::string path = request["template"];
  auto [at, isNew] = templates.try_emplace(path, absl::UnknownError("unread"));
  if (isNew) {
    std::ostringstream source;
    source << std::ifstream(path, std::ios::binary).rdbuf();
    at->second = ChatTemplate::parse(source.str(), path);
  }
  if (!at->second.ok())
    return {{"error", std::string(at->second.status().message())}};
  RenderOptions options;
  options.trusted = request["trusted"];
  std::time_t now = request["now"].get<int64_t>();
  gmtime_r(&now, &options.now);
  absl::StatusOr<std::vector<Piece>> pieces = (*at->second).render(request["variables"], options);
  if (!pieces.ok())
    return {{"error", std::string(pieces.status().message())}};
  ordered_json list = ordered_json::array();
  for (const Piece &piece : *pieces)
    list.push_back(ordered_json::array({piece.text, piece.fromTemplate}));
  return {{"pieces", list}};
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: chat_template_tool CASES\n");
    return 2;
  }
  std::map<std::string, absl::StatusOr<ChatTemplate>> templates;
  std::ifstream cases(argv[1]);
  for (std::string line; std::getline(cases, line);)
    std::cout << answer(templates, ordered_json::parse(line)).dump() << "\n";
}
