//===- Targets.cpp - machines that CPU code is made for -------------------===//

#include "Codegen.h"
#include "ane/Host/HostTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

//===-- records -----------------------------------------------------------===//

// All tables have tiles of the same columns and costs: weights are packed alike, and libraries share them.

/// x86-64 with AVX2: 16 registers of 8 lanes.
static const TileTable avx2;

/// x86-64 with AVX-512: 32 registers of 16 lanes. 8 rows at most, though registers are left: 14 rows of x fall into the
/// same sets of the L1 cache (BERT 265 instead of 215 ms on one thread).
static const TileTable avx512 = [] {
  TileTable table;
  table.registerLanes = 16;
  table.tiles = {{16, 1, 8, 1.0}, {8, 3, 8, 1.02}, {8, 1, 8, 1.12}};
  table.blockRows = 8;
  table.sums = 24;
  table.multiplyPairs = "llvm.x86.avx512.pmaddw.d.512";
  return table;
}();

/// AArch64 with NEON: 32 registers of 4 lanes (cpu-codegen.md 3: 4x16).
static const TileTable neon = [] {
  TileTable table;
  table.registerLanes = 4;
  table.tiles = {{4, 4, 4, 1.0}, {4, 6, 3, 1.02}, {4, 2, 8, 1.12}};
  table.blockRows = 1;
  table.sums = 24;
  table.multiplyPairs = "";
  return table;
}();

static const ByteProducts vnniBytes{"llvm.x86.avx512.vpdpbusd.512", "", true};
static const ByteProducts avx512Bytes{"", "llvm.x86.avx512.pmaddubs.w.512", true};
static const ByteProducts avx2Bytes{"", "llvm.x86.avx2.pmadd.ub.sw", true};
/// Any 64-bit Arm processor, and those with dot products, which all Macs are.
static const ByteProducts neonBytes;
static const ByteProducts dotBytes{"llvm.aarch64.neon.sdot.v4i32.v16i8", "", false};

/// Of a triple's targets the fastest comes first. Without "fast-dpwssd" LLVM takes products and sums of VNNI apart
/// again.
static const HostTarget records[] = {
    {"x86_64-unknown-linux-gnu", "x86-64-v4-vnni", "x86_64-unknown-linux-gnu", "x86-64-v4", &avx512, &vnniBytes,
     "+avx512vnni,+fast-dpwssd"},
    {"x86_64-unknown-linux-gnu", "x86-64-v4", "x86_64-unknown-linux-gnu", "x86-64-v4", &avx512, &avx512Bytes},
    {"x86_64-unknown-linux-gnu", "x86-64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3", &avx2, &avx2Bytes},
    {"aarch64-unknown-linux-gnu", "", "aarch64-unknown-linux-gnu", "generic", &neon, &neonBytes},
    {"arm64-apple-macos", "", "arm64-apple-macos14.0", "apple-m1", &neon, &dotBytes},
};

//===-- LLVM --------------------------------------------------------------===//

static void initialiseTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
#if LLVM_HAS_X86_TARGET
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
#endif
#if LLVM_HAS_AARCH64_TARGET
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
#endif
  });
}

const llvm::Target *host::llvmTargetOf(const HostTarget &target) {
  initialiseTargets();
  std::string message;
  return llvm::TargetRegistry::lookupTarget(target.llvmTriple.str(), message);
}

//===-- names -------------------------------------------------------------===//

std::string HostTarget::name() const { return (triple + (level.empty() ? "" : ":") + level).str(); }

std::string HostTarget::fileName() const {
  bool isMac = llvm::Triple(llvmTriple).isOSDarwin();
  return (triple + (level.empty() ? "" : ".") + level + (isMac ? ".dylib" : ".so")).str();
}

/// Whether code for `wanted` is what `given`, however it is spelt, asks for.
static bool sameMachine(const llvm::Triple &given, const llvm::Triple &wanted) {
  if (given.getArch() != wanted.getArch() || given.isX32())
    return false;
  return wanted.isMacOSX() ? given.isMacOSX() : given.isOSLinux() && wanted.isOSLinux();
}

/// Whether this processor has the features of a level. Those LLVM names by the level's CPU are not to be had here:
/// processors with these have the others.
static bool runsOnThisProcessor(const HostTarget &target) {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](std::initializer_list<StringRef> names) {
    return llvm::all_of(names, [&](StringRef name) { return features.lookup(name); });
  };
  if (target.level.starts_with("x86-64-v4") &&
      !has({"avx2", "fma", "f16c", "bmi2", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return false;
  if (target.level == "x86-64-v4-vnni")
    return has({"avx512vnni"});
  if (target.level == "x86-64-v3")
    return has({"avx2", "fma", "f16c", "bmi2"});
  return true;
}

static std::string spellings() {
  std::vector<std::string> names;
  for (const HostTarget &record : records) {
    if (!llvm::is_contained(names, record.triple.str()))
      names.push_back(record.triple.str());
    if (!record.level.empty())
      names.push_back(record.name());
  }
  return llvm::join(names, ", ") + ", native, all or none";
}

FailureOr<std::vector<const HostTarget *>> mlir::ane::findHostTargets(ArrayRef<std::string> names, bool onePerTriple,
                                                                      std::string &wrong) {
  std::vector<const HostTarget *> found;
  auto fail = [&](const Twine &message) {
    wrong = message.str();
    return failure();
  };
  // The last target of a triple is the one that most processors run.
  auto isSuperseded = [&](const HostTarget &target) {
    return onePerTriple && &target != std::end(records) - 1 && (&target)[1].triple == target.triple;
  };
  std::string thisMachine = llvm::sys::getDefaultTargetTriple();
  SmallVector<std::string> wanted(names);
  if (wanted.empty())
    wanted = {thisMachine};
  for (const auto &[i, spelling] : llvm::enumerate(wanted)) {
    StringRef name = spelling;
    if (name == "none" && wanted.size() > 1)
      return fail("'none' stands alone");
    if (llvm::is_contained(ArrayRef(wanted).take_front(i), name))
      return fail("'" + name + "' is given twice");
    if (name == "none")
      return found;
    auto [tripleName, level] = name == "native" ? std::pair<StringRef, StringRef>(thisMachine, "") : name.split(':');
    llvm::Triple triple(llvm::Triple::normalize(tripleName));
    bool known = false, lacksLLVM = false, isAll = name == "all";
    for (const HostTarget &record : records) {
      if (!isAll &&
          (!sameMachine(triple, llvm::Triple(record.llvmTriple)) || (!level.empty() && level != record.level)))
        continue;
      known = true;
      if (!llvmTargetOf(record)) {
        lacksLLVM = true;
        continue;
      }
      if (name == "native" ? !runsOnThisProcessor(record) : level.empty() && isSuperseded(record))
        continue;
      if (!llvm::is_contained(found, &record))
        found.push_back(&record);
      if (name == "native")
        break;
    }
    if (!known)
      return fail("can't make CPU code for '" + name + "': expected " + spellings());
    if (lacksLLVM && !isAll)
      return fail("can't make CPU code for '" + name + "': the LLVM of this compiler was built without it");
    if (name == "native" && found.empty())
      return fail("this processor runs none of the code that can be made for it: " + spellings());
  }
  // As they are listed: the fastest of a triple first.
  llvm::sort(found);
  return found;
}
