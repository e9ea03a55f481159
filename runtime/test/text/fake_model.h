//===- fake_model.h - A model whose answers are known -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEST_TEXT_FAKE_MODEL_H
#define ANE_RUNTIME_TEST_TEXT_FAKE_MODEL_H

#include "runtime/text/conversation/language_model.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

namespace ane::rt::text {

/// Tokens are bytes, and 256 ends a turn. What it says next is any function of the
/// whole text; letters are a little likely. Its state is checked: a text that is not what the caller thinks gives
/// another answer.
class FakeModel : public LanguageModel {
public:
  using Next = std::function<int32_t(const std::string &)>;
  static constexpr int32_t kEnd = 256;

  FakeModel(Next next, int64_t context) : next(std::move(next)), context(context) {}

  int64_t contextLength() const override { return context; }
  int64_t maxPrefill() const override { return 8; }
  int64_t position() const override { return static_cast<int64_t>(text.size()); }

  absl::StatusOr<absl::Span<const float>> prefill(absl::Span<const int32_t> tokens) override {
    if (tokens.empty() || static_cast<int64_t>(tokens.size()) > maxPrefill() ||
        position() + static_cast<int64_t>(tokens.size()) > context)
      return absl::InternalError("a prompt that does not fit was given to the model");
    if (failsAt >= 0 && position() >= failsAt)
      return absl::InternalError("the model has failed");
    for (int32_t token : tokens)
      text += token == kEnd ? '\n' : static_cast<char>(token);
    seen += static_cast<int64_t>(tokens.size());
    ++calls.evaluations;
    calls.bytes += 100;
    if (whenCalled)
      whenCalled();
    logits.assign(kEnd + 1, -100);
    std::fill(logits.begin() + 'a', logits.begin() + 'z' + 1, 0.0f);
    logits[static_cast<size_t>(next(text))] = 10;
    return absl::Span<const float>(logits);
  }
  absl::StatusOr<absl::Span<const float>> decode(int32_t token) override {
    return prefill(absl::Span<const int32_t>(&token, 1));
  }

  absl::Status truncate(int64_t position) override {
    if (position != 0 && isRecurrent)
      return absl::FailedPreconditionError("a recurrent state can't go back");
    text.resize(static_cast<size_t>(position));
    return absl::OkStatus();
  }
  absl::Status save(const std::string &path) const override {
    std::ofstream(path) << text;
    return absl::OkStatus();
  }
  absl::Status restore(const std::string &path, int64_t position) override {
    std::ifstream file(path);
    if (!file)
      return absl::NotFoundError(path);
    std::stringstream read;
    read << file.rdbuf();
    if (static_cast<int64_t>(read.str().size()) != position)
      return absl::InvalidArgumentError("a state of another length");
    text = read.str();
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<LanguageModel>> fork() const override { return std::make_unique<FakeModel>(*this); }
  DeviceWork work() const override { return calls; }

  std::string text;
  int64_t seen = 0; ///< tokens that went through it
  int64_t failsAt = -1;
  bool isRecurrent = false;
  std::function<void()> whenCalled;

private:
  Next next;
  int64_t context;
  DeviceWork calls;
  std::vector<float> logits;
};

/// Bytes; characters beyond ASCII come when they are complete.
class FakeCodec : public Codec {
public:
  absl::StatusOr<std::vector<int32_t>> encode(const std::vector<Piece> &pieces) const override {
    std::vector<int32_t> tokens;
    for (const Piece &piece : pieces)
      for (char c : piece.text)
        tokens.push_back(c == '\n' && piece.fromTemplate ? FakeModel::kEnd : static_cast<uint8_t>(c));
    return tokens;
  }
  std::unique_ptr<TextStream> decoder() const override { return std::make_unique<Stream>(); }

private:
  struct Stream : TextStream {
    std::string held;
    std::string add(int32_t token) override {
      held += static_cast<char>(token);
      bool isComplete = static_cast<uint8_t>(held[0]) < 0xC0 || held.size() == 2;
      return isComplete ? std::exchange(held, "") : "";
    }
    std::string finish() override { return std::exchange(held, ""); }
  };
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEST_TEXT_FAKE_MODEL_H
