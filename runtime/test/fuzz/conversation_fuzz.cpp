// A conversation's file may say anything: it is refused and changes nothing, or it goes on, and what is saved then is
// the same conversation.
#include "runtime/test/text/fake_model.h"
#include "runtime/text/conversation/conversation.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace ane::rt::text;
namespace fs = std::filesystem;

namespace {

/// Its state is of any tokens.
class AnyModel : public FakeModel {
public:
  AnyModel() : FakeModel([](const std::string &text) { return text.size() % 5 ? 'a' : kEnd; }, /*context=*/64) {}
  absl::Status restore(const std::string &, int64_t position) override {
    text.assign(static_cast<size_t>(position), 'x');
    return absl::OkStatus();
  }
};

/// A folder for this process, which ends with it, in memory where that can be.
struct Folder {
  Folder()
      : path((fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
             ("conversation_fuzz." + std::to_string(::getpid()))) {
    fs::create_directory(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Folder folder;
  static const FakeCodec codec;
  const std::string path = folder.path / "saved";
  std::ofstream(path + ".json", std::ios::binary).write(reinterpret_cast<const char *>(data), static_cast<long>(size));
  auto make = [] {
    ChatFormat format = {*ChatTemplate::parse("{% for m in messages %}{{ m.role }}:{{ m.content }}\n{% endfor %}", "t"),
                         {},
                         nlohmann::ordered_json::object()};
    GenerateOptions options;
    options.stopTokens = {FakeModel::kEnd};
    options.maxTokens = 8;
    return Conversation(Context(std::make_unique<AnyModel>()), codec, std::move(format), *Sampler::create({}), options);
  };
  Conversation conversation = make();
  if (!conversation.restore(path).ok()) {
    if (!conversation.messages().empty())
      std::abort();
    return 0;
  }
  std::atomic<bool> cancel{false};
  (void)conversation.ask("go on", nullptr, cancel);
  Conversation again = make();
  if (!conversation.save(path).ok() || !again.restore(path).ok() || again.messages() != conversation.messages())
    std::abort();
  return 0;
}
