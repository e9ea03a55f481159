// A chat template may say anything: it is refused, or it renders within its bounds, and all that users have written is
// in pieces of its own. The input is a template, behind its first line, which is the chat as JSON.
#include "runtime/text/template/chat_template.h"

#include <cstdlib>

using namespace ane::rt::text;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr uint64_t kMaxOutput = 10'000;
  std::string_view input(reinterpret_cast<const char *>(data), size);
  size_t end = std::min(input.find('\n'), input.size());
  auto chat = nlohmann::ordered_json::parse(input.substr(0, end), nullptr, /*allow_exceptions=*/false);
  if (chat.is_discarded())
    chat = {{"messages", {{{"role", "user"}, {"content", "a\u00e9 <|x|>"}}}}, {"add_generation_prompt", true}};
  absl::StatusOr<ChatTemplate> chatTemplate = ChatTemplate::parse(input.substr(std::min(end + 1, size)), "fuzz");
  if (!chatTemplate.ok())
    return 0;
  RenderOptions options;
  options.trusted = {{"bos_token", "<s>"}};
  options.maxSteps = 20'000;
  options.maxOutputBytes = kMaxOutput;
  absl::StatusOr<std::vector<Piece>> pieces = chatTemplate->render(chat, options);
  if (!pieces.ok())
    return 0;
  size_t bytes = 0;
  for (size_t i = 0; i < pieces->size(); ++i) {
    const Piece &piece = (*pieces)[i];
    bytes += piece.text.size();
    if (piece.text.empty() || (i && piece.fromTemplate == (*pieces)[i - 1].fromTemplate))
      std::abort();
  }
  if (bytes > kMaxOutput)
    std::abort();
  return 0;
}
