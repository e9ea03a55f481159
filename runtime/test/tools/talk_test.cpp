// What a chat reads and prints by: descriptors, Ctrl-C, and the codec.
#include "runtime/test/temporary_folder.h"
#include "runtime/text/conversation/tokenizer_codec.h"
#include "runtime/tools/interrupts.h"
#include "runtime/tools/language_options.h"
#include "runtime/tools/streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace ane::rt;
using namespace ane::rt::tools;

namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void endWriting() { close(std::exchange(ends[1], -1)); }
  int ends[2];
};

TEST(Streams, LinesComeAsTheyAreWritten) {
  Pipe pipe;
  std::atomic<bool> ends{false};
  InputBuffer buffer(pipe.ends[0], ends);
  std::istream in(&buffer);
  std::string line, text = std::string(5000, 'x') + "\nlast";
  ASSERT_EQ(write(pipe.ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  pipe.endWriting();
  EXPECT_TRUE(std::getline(in, line) && line == std::string(5000, 'x'));
  EXPECT_TRUE(std::getline(in, line) && line == "last");
  EXPECT_FALSE(std::getline(in, line));
}

TEST(Streams, AFlagEndsTheWait) {
  Pipe pipe;
  std::atomic<bool> ends{false};
  InputBuffer buffer(pipe.ends[0], ends);
  std::istream in(&buffer);
  std::thread other([&] { ends = true; });
  std::string line;
  EXPECT_FALSE(std::getline(in, line));
  other.join();
}

TEST(Streams, AReaderThatHasGoneIsNoError) {
  auto previous = std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  close(std::exchange(pipe.ends[0], -1));
  OutputBuffer buffer(pipe.ends[1]);
  std::ostream out(&buffer);
  out << "text";
  EXPECT_TRUE(out.good());
  out.flush();
  EXPECT_FALSE(out.good());
  EXPECT_TRUE(buffer.status().ok());
  std::signal(SIGPIPE, previous);
  int full = open("/dev/full", O_WRONLY);
  OutputBuffer disk(full);
  std::ostream more(&disk);
  more << "text" << std::flush;
  EXPECT_TRUE(absl::IsDataLoss(disk.status())) << disk.status();
  close(full);
}

TEST(Interrupts, AreCountedAndEndWithTheirObject) {
  // Whoever runs this test may ignore it, as shells do for what runs in the background.
  auto original = std::signal(SIGINT, SIG_DFL);
  {
    Interrupts interrupts;
    EXPECT_FALSE(*Interrupts::flag());
    std::raise(SIGINT);
    std::raise(SIGINT);
    EXPECT_TRUE(*Interrupts::flag());
    EXPECT_EQ(Interrupts::count(), 2);
    Interrupts::clear();
    EXPECT_FALSE(*Interrupts::flag());
    EXPECT_EQ(Interrupts::count(), 0);
  }
  EXPECT_EQ(std::signal(SIGINT, SIG_IGN), SIG_DFL);
  {
    Interrupts interrupts;
    std::raise(SIGINT);
    EXPECT_EQ(Interrupts::count(), 0);
  }
  EXPECT_EQ(std::signal(SIGINT, original), SIG_IGN);
  for (int signal : {SIGTERM, SIGHUP}) {
    auto before = std::signal(signal, SIG_DFL);
    {
      Interrupts interrupts;
      EXPECT_EQ(Interrupts::ended(), 0);
      std::raise(signal);
      Interrupts::clear();
      EXPECT_TRUE(*Interrupts::flag()) << "for good";
      EXPECT_EQ(Interrupts::ended(), signal);
    }
    EXPECT_EQ(std::signal(signal, before), SIG_DFL);
  }
}

absl::StatusOr<LanguageOptions> parsed(const std::vector<std::string> &arguments) {
  CommandLine line;
  LanguageFlags flags;
  flags.declare(line);
  std::vector<std::string> positional;
  if (absl::Status status = line.parse(arguments, positional); !status.ok())
    return status;
  return flags.finish(line);
}

TEST(LanguageOptions, AreWhatWasSaid) {
  auto options = parsed({"--chat", "--temperature=0.5", "--top-k", "40", "--top-p=0.9", "--min-p=0.05",
                         "--repeat-penalty=1.1", "--presence-penalty=-1", "--frequency-penalty=2",
                         "--logit-bias=7=-inf", "--logit-bias=8=1.5", "--stop=a", "--stop=b", "--max-tokens=9",
                         "--on-overflow=window", "--system=s", "--chat-template=t", "--save-conversation=f"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->talk, Talk::Chat);
  const text::SamplingOptions &sampling = options->sampling;
  EXPECT_EQ(std::tuple(sampling.temperature, sampling.topK, sampling.topP, sampling.minP, sampling.repetitionPenalty,
                       sampling.presencePenalty, sampling.frequencyPenalty),
            std::tuple(0.5, 40, 0.9, 0.05, 1.1, -1.0, 2.0));
  EXPECT_EQ(sampling.logitBias,
            (std::vector<std::pair<int32_t, float>>{{7, -std::numeric_limits<float>::infinity()}, {8, 1.5f}}));
  EXPECT_EQ(options->generate.stopStrings, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options->generate.maxTokens, 9);
  EXPECT_EQ(options->generate.overflow, text::Overflow::Window);
  EXPECT_EQ(std::tuple(options->system, options->chatTemplate, options->saveConversation), std::tuple("s", "t", "f"));
  EXPECT_EQ(parsed({})->talk, Talk::None);
  EXPECT_EQ(parsed({"--prompt="})->talk, Talk::Prompt);
  EXPECT_EQ(parsed({"--text"})->talk, Talk::Text);
  EXPECT_FALSE(parsed({"--prompt=x", "--temperature=nan"}).ok());
  EXPECT_FALSE(parsed({"--prompt=x", "--logit-bias=7=nan"}).ok());
}

TEST(TokenizerCodec, NamesInQuestionsAreText) {
  text::TokenizerModel model;
  model.algorithm = text::Algorithm::WordPiece;
  model.tokens = {"[UNK]", "<end>", "<", "end", ">"};
  model.unknown = 0;
  model.continuingPrefix = "##";
  model.added = {{1, "<end>", /*isSpecial=*/true}};
  model.preTokenizers = {text::pretokenizer::Whitespace{}};
  auto tokenizer = text::Tokenizer::make(std::move(model));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status();
  text::TokenizerCodec codec(*std::move(tokenizer));
  auto ids = codec.encode({{"<end>", /*fromTemplate=*/true}, {"<end>", /*fromTemplate=*/false}});
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_EQ(*ids, (std::vector<int32_t>{1, 2, 3, 4}));
  auto stream = codec.decoder();
  std::string said = stream->add(1) + stream->add(3) + stream->add(4) + stream->finish();
  EXPECT_EQ(said, "end >");
}

} // namespace
