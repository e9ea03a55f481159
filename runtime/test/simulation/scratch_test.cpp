//===- scratch_test.cpp - Folders of programs, on the simulated framework -===//
#include "runtime/core/probe_program.h"
#include "runtime/device/ane/scratch.h"
#include "runtime/test/simulation/simulation.h"

#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace ane::rt;
using engine::Scratch;
namespace fs = std::filesystem;

namespace {

class Folders : public test::Simulation {
protected:
  /// A program that multiplies by a factor, and others of its text.
  struct Probe {
    explicit Probe(Device &device) : device(device), probe(*ProbeProgram::create(device, "p", {})) {}
    ProgramDesc by(float factor) const {
      ProgramDesc desc = probe.desc;
      desc.folder = *probe.filesWith(factor);
      return desc;
    }
    std::unique_ptr<DeviceProgram> load(float factor) const { return *device.load(by(factor)); }
    Device &device;
    ProbeProgram probe;
  };
  static absl::StatusOr<std::unique_ptr<DeviceProgram>> patch(DeviceProgram &program, const ProgramDesc &desc) {
    return program.updateWeights(WeightWay::Patch, desc.folder, {ProbeProgram::firstMatrix()});
  }
  /// The folders that programs have here.
  std::vector<std::string> folders() const {
    std::vector<std::string> names;
    for (const auto &each : fs::directory_iterator(root))
      if (each.path().filename().string().find('_') != std::string::npos)
        names.push_back(each.path().filename());
    return names;
  }
  void clear(bool alsoKept) const {
    for (const auto &each : fs::directory_iterator(root))
      if (alsoKept || each.path().filename() != "com.apple.aned.simulated")
        fs::remove_all(each.path());
  }
};

/// What another process says, which is asked while it lives.
class Other {
public:
  template <typename Body>
  explicit Other(Body &&body) {
    EXPECT_EQ(pipe(answers), 0);
    child = fork();
    if (child == 0) {
      alarm(60); // if nobody ends it
      const char answer = body() ? 'y' : 'n';
      _exit(write(answers[1], &answer, 1) == 1 && pause() ? 1 : 0);
    }
    char answer = 0;
    EXPECT_EQ(read(answers[0], &answer, 1), 1);
    agrees = answer == 'y';
  }
  ~Other() {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(answers[0]);
    close(answers[1]);
  }
  bool agrees = false;

private:
  int answers[2];
  pid_t child;
};

TEST_F(Folders, APatchedProgramHasItsOwn) {
  ASSERT_TRUE(test::set("weights=fresh"));
  const Probe of(*device);
  auto first = of.load(2);
  auto patched = patch(*first, of.by(3));
  ASSERT_TRUE(patched.ok()) << patched.status();
  EXPECT_EQ(*of.probe.evaluate(**patched), 3);
  ASSERT_EQ(folders().size(), 1u);
  EXPECT_TRUE(Other([&] { return absl::IsAlreadyExists(Scratch::at(root, folders()[0]).status()); }).agrees);
  // Who wants what its folder is named for gets another one.
  auto other = of.load(2);
  (*patched)->unload();
  ASSERT_EQ((*patched)->load(), absl::OkStatus());
  EXPECT_EQ(*of.probe.evaluate(**patched), 3);
  EXPECT_EQ(*of.probe.evaluate(*other), 2);
  auto again = patch(**patched, of.by(5));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*of.probe.evaluate(**again), 5);
  EXPECT_EQ(folders().size(), 2u);
  again->reset();
  patched->reset();
  EXPECT_EQ(*of.probe.evaluate(*of.load(2)), 2);
}

TEST_F(Folders, NobodyPatchesWhatAnotherProcessHas) {
  ASSERT_TRUE(test::set("weights=fresh"));
  const Probe of(*device);
  auto program = of.load(2);
  {
    const Other other([&] {
      static auto made = Scratch::at(root, folders()[0]);
      return made.ok();
    });
    EXPECT_TRUE(other.agrees);
    EXPECT_EQ(patch(*program, of.by(3)).status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(*of.probe.evaluate(*program), 2);
  }
  // A process that was killed has none.
  EXPECT_TRUE(patch(*program, of.by(3)).ok());
}

TEST_F(Folders, NobodyRemovesWhatAnotherProcessHas) {
  const auto there = [&](const char *name) { return fs::exists(root + "/" + name); };
  auto ours = Scratch::at(root, "a_b_c");
  ASSERT_TRUE(ours.ok()) << ours.status();
  {
    const Other other([&] {
      static auto made = Scratch::at(root, "a_b_c");
      return made.ok() && made->write("model.mil", "text", 4).ok() && !made->claim();
    });
    EXPECT_TRUE(other.agrees);
    EXPECT_FALSE(ours->claim());
    *ours = Scratch();
    EXPECT_TRUE(there("a_b_c/model.mil"));
  }
  EXPECT_TRUE(Scratch::at(root, "a_b_c")->claim());
  EXPECT_FALSE(there("a_b_c")) << "its last user is gone";
  // What another process has compiled stays.
  ours = Scratch::at(root, "d_e_f");
  std::ofstream(ours->path() + "/" + engine::kDescription);
  *ours = Scratch();
  EXPECT_TRUE(there("d_e_f"));
}

TEST_F(Folders, WhatIsClearedIsWrittenAgain) {
  const Probe of(*device);
  auto program = of.load(2);
  program->unload();
  clear(false);
  ASSERT_EQ(program->load(), absl::OkStatus());
  EXPECT_EQ(*of.probe.evaluate(*program), 2);
  // What was compiled, too: it is compiled again.
  program->unload();
  clear(true);
  EXPECT_FALSE(program->load().ok());
  EXPECT_FALSE(program->isCompiled());
  ASSERT_EQ(program->compile(), absl::OkStatus());
  ASSERT_EQ(program->load(), absl::OkStatus());
  EXPECT_EQ(*of.probe.evaluate(*program), 2);
  test::ask<void>("simulated_forget_findings"); // that it was loaded
}

// Of a patched program, those that it has now; and it is compiled as what it computes.
TEST_F(Folders, WhatIsClearedOfAPatchedOne) {
  ASSERT_TRUE(test::set("weights=fresh"));
  const Probe of(*device);
  auto first = of.load(2);
  auto program = patch(*first, of.by(3));
  ASSERT_TRUE(program.ok()) << program.status();
  (*program)->unload();
  clear(false);
  ASSERT_EQ((*program)->load(), absl::OkStatus());
  EXPECT_EQ(*of.probe.evaluate(**program), 3);
  (*program)->unload();
  clear(true);
  EXPECT_FALSE((*program)->load().ok());
  ASSERT_EQ((*program)->compile(), absl::OkStatus());
  ASSERT_EQ((*program)->load(), absl::OkStatus());
  EXPECT_EQ(*of.probe.evaluate(**program), 3);
  EXPECT_EQ(*of.probe.evaluate(*of.load(2)), 2);
  test::ask<void>("simulated_forget_findings"); // that it was loaded
}

// Others come first when a folder was cleared, and have patched theirs.
TEST_F(Folders, OneThatIsLost) {
  const Probe of(*device);
  auto program = of.load(2);
  program->unload();
  const std::string name = folders()[0];
  clear(true);
  const Other other([&] {
    static auto made = Scratch::at(root, name);
    return made.ok() && made->claim();
  });
  EXPECT_TRUE(other.agrees);
  absl::Status status = program->load();
  EXPECT_NE(status.message().find("is another program's by now"), std::string::npos) << status;
}

TEST_F(Folders, ALinkThatLeadsNowhere) {
  const Probe of(*device);
  const std::string bundle = root + "/bundle", weights = bundle + "/weights";
  fs::create_directories(weights);
  const ProgramDesc memory = of.by(2);
  const std::string file = ProbeProgram::firstMatrix().path;
  auto content = memory.folder->map(file);
  std::ofstream(bundle + "/" + file, std::ios::binary)
      .write(reinterpret_cast<const char *>(content->data()), static_cast<std::streamsize>(content->size()));
  ProgramDesc desc = memory;
  desc.folder = std::make_shared<const Folder>(*Folder::open(bundle));
  auto program = device->load(desc);
  ASSERT_TRUE(program.ok()) << program.status();
  const fs::path link = fs::path(root) / folders()[0] / file;
  EXPECT_TRUE(fs::is_symlink(link));
  (*program)->unload();
  fs::rename(bundle, bundle + "2");
  ASSERT_EQ((*program)->load(), absl::OkStatus());
  EXPECT_EQ(*of.probe.evaluate(**program), 2);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(link)));
}

TEST_F(Folders, SurfacesOutliveTheirDevice) {
  auto made = device->allocate(makeSurfaceDesc("x", ElementType::Float16, {1, 8, 1, 64}));
  device.reset();
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE((*made)->map(Access::Write).ok());
}

} // namespace
