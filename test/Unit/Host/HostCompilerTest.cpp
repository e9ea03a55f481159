//===- HostCompilerTest.cpp - kernels side by side, equal ones once -------===//

#include "ane/Host/Host.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
// After the declarations that it needs.
#include "lib/Host/Codegen.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <regex>
#include <set>

using namespace mlir;
using namespace mlir::ane;

namespace {

/// Two functions with two kernels in common: a product, whose tiles depend on the machine, and a softmax, which is the
/// same code everywhere.
constexpr const char *source = R"(
func.func @one(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = ane.const dense<0.5> : tensor<64x64xf32>
  %0 = ane.linear %x, %w : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %1 = ane.softmax %0 {axis = -1 : i64} : tensor<8x64xf32>
  %2 = ane.softmax %1 {axis = 0 : i64} : tensor<8x64xf32>
  return %2 : tensor<8x64xf32>
}
func.func @other(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = ane.const dense<0.25> : tensor<64x64xf32>
  %0 = ane.linear %x, %w : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %1 = ane.softmax %0 {axis = -1 : i64} : tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}
)";

struct CountingSink : HostWeightSink {
  uint64_t size = 0;
  uint64_t add(Type, uint64_t bytes, HostWeightBytes) override {
    uint64_t offset = size;
    size += llvm::alignTo(bytes, 64);
    return offset;
  }
};

struct Outcome {
  HostBuild build;
  std::map<std::string, std::string> libraries; // bytes by machine
  std::vector<size_t> done;                     // as progress told
  size_t all = 0;
};

/// Compiles `source` for `machines` with `threads` threads.
Outcome compile(std::vector<std::string> machines, unsigned threads) {
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(threads));
  MLIRContext context(MLIRContext::Threading::DISABLED);
  if (threads > 1)
    context.setThreadPool(pool);
  context.loadDialect<ANEDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  std::string wrong;
  HostOptions options;
  options.targets = *findHostTargets(machines, /*onePerTriple=*/false, wrong);
  SmallString<128> folder;
  EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("host-compiler-test", folder));
  options.libraryPath = [&](const HostTarget &target) { return (folder + "/" + target.fileName()).str(); };
  Outcome outcome;
  options.progress = [&](size_t done, size_t all) {
    outcome.done.push_back(done);
    outcome.all = all;
  };
  CountingSink sink;
  SmallVector<func::FuncOp> functions(module->getOps<func::FuncOp>());
  FailureOr<HostBuild> build = compileHost(*module, functions, options, sink);
  EXPECT_TRUE(succeeded(build));
  outcome.build = std::move(*build);
  for (const HostLibrary &library : outcome.build.libraries)
    outcome.libraries[library.target->name()] = (*llvm::MemoryBuffer::getFile(library.path))->getBuffer().str();
  llvm::sys::fs::remove_directories(folder);
  return outcome;
}

const std::string x86 = "x86_64-unknown-linux-gnu", arm = "aarch64-unknown-linux-gnu", mac = "arm64-apple-macos";

TEST(HostCompiler, NumberOfThreadsChangesNoByte) {
  Outcome one = compile({"all"}, 1);
  EXPECT_EQ(one.libraries.size(), 4u);
  for (unsigned threads : {2, 3})
    EXPECT_TRUE(compile({"all"}, threads).libraries == one.libraries) << threads << " threads";
}

TEST(HostCompiler, EqualKernelsOfFunctionsAreOne) {
  Outcome outcome = compile({x86 + ":x86-64-v3"}, 1);
  EXPECT_EQ(outcome.build.calls, 5u);
  EXPECT_EQ(outcome.build.kernels, 3u);
  EXPECT_EQ(outcome.all, 3u);
}

TEST(HostCompiler, CodeOfEqualKernelsIsEmittedOnce) {
  // Of five, the softmax of the second function is not emitted. Its product is: a number that all elements of a
  // constant are may be part of the code.
  EXPECT_EQ(compile({x86 + ":x86-64-v3"}, 1).build.kernelsEmitted, 4u);
}

TEST(HostCompiler, MachinesShareWhatDoesNotDependOnThem) {
  // The product has other tiles for each level; what softmax is made of is the same.
  size_t alone = compile({x86 + ":x86-64-v3"}, 1).all, both = compile({x86}, 1).all;
  EXPECT_EQ(both, alone + 1);
  // Machines with the same registers have the same kernels.
  EXPECT_EQ(compile({arm, mac}, 1).all, compile({arm}, 1).all);
}

TEST(HostCompiler, ALibraryHoldsWhatItsMachineCallsOnly) {
  Outcome both = compile({x86}, 2);
  for (auto &[name, bytes] : both.libraries) {
    // Symbols in the library's table of strings: what a kernel computes and a hash of its code.
    const std::regex product("linear_[0-9a-f]{16}");
    std::set<std::string> products(std::sregex_token_iterator(bytes.begin(), bytes.end(), product), {});
    EXPECT_EQ(products.size(), 1u) << name;
  }
}

TEST(HostCompiler, TellsHowManyKernelsAreDone) {
  for (unsigned threads : {1, 3}) {
    Outcome outcome = compile({x86}, threads);
    std::vector<size_t> expected(outcome.all);
    std::iota(expected.begin(), expected.end(), size_t(1));
    EXPECT_EQ(outcome.done, expected);
  }
}

/// An object whose table of symbols says that none is local, not even the first: the linker says so and calls exit().
host::Object damagedObject() {
  using namespace llvm::ELF;
  struct {
    Elf64_Ehdr header = {};
    Elf64_Shdr sections[3] = {};
    Elf64_Sym symbol = {};
  } file;
  llvm::copy(StringRef("\177ELF\2\1\1"), file.header.e_ident);
  file.header.e_type = ET_REL;
  file.header.e_machine = EM_X86_64;
  file.header.e_version = EV_CURRENT;
  file.header.e_shoff = sizeof(file.header);
  file.header.e_ehsize = sizeof(file.header);
  file.header.e_shentsize = sizeof(Elf64_Shdr);
  file.header.e_shnum = 3;
  file.header.e_shstrndx = 2;
  Elf64_Shdr &symbols = file.sections[1], &names = file.sections[2];
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_offset = sizeof(file) - sizeof(file.symbol);
  symbols.sh_size = symbols.sh_entsize = sizeof(file.symbol);
  symbols.sh_link = 2;
  names.sh_type = SHT_STRTAB;
  names.sh_offset = symbols.sh_offset; // of which the first byte is 0
  names.sh_size = 1;
  auto *bytes = reinterpret_cast<const char *>(&file);
  return host::Object(bytes, bytes + sizeof(file));
}

TEST(Link, EndsWithAnErrorWhereTheLinkerExits) {
  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto targets = findHostTargets({"x86_64-unknown-linux-gnu"}, /*onePerTriple=*/true, message);
  ASSERT_TRUE(succeeded(targets));
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("link", folder));
  host::Object damaged = damagedObject();
  auto link = [&] {
    return host::linkLibrary({&damaged}, (folder + "/x.so").str(), *targets->front(),
                             [&] { return mlir::emitError(UnknownLoc::get(&context)); });
  };
  EXPECT_TRUE(failed(link()));
  EXPECT_NE(message.find("linking the CPU library for"), std::string::npos) << message;
  EXPECT_NE(message.find("invalid sh_info"), std::string::npos) << message;
  EXPECT_TRUE(failed(link()));
  EXPECT_NE(message.find("the linker has stopped before"), std::string::npos) << message;
  llvm::sys::fs::remove_directories(folder);
}

} // namespace
