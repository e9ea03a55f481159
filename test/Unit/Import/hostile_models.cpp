// Imports and compiles many models in one process, each within 10 s of processor time and 2 GB of memory. Each must be
// compiled, or refused with one error.
//
//   hostile_models FILE    models one after the other, each behind its size (32 bits, little-endian)
//
// Prints "NUMBER: what is wrong with that model", and a summary. The exit code is 1 if there was any.
#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/ANE.h"
#include "ane/Import/ONNX.h"
#include "ane/Pipeline/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

static constexpr int maxSeconds = 10;
static constexpr rlim_t maxBytes = rlim_t(2) << 30;

namespace {
/// What the process that compiles tells about one model.
struct Outcome {
  bool compiled = false;
  double seconds = 0;
  char problem[480] = "";
};
} // namespace

static void compile(const std::string &path, Outcome &outcome) {
  DialectRegistry registry;
  registry.insert<mlir::ane::ANEDialect, func::FuncDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors.push_back(diagnostic.str());
    return success();
  });
  auto problem = [&](const std::string &what) {
    std::snprintf(outcome.problem, sizeof(outcome.problem), "%s with %zu errors: %s", what.c_str(), errors.size(),
                  errors.empty() ? "" : errors.front().c_str());
  };
  FailureOr<OwningOpRef<ModuleOp>> module = mlir::ane::importONNX(path, {}, &context);
  if (failed(module)) {
    if (errors.size() != 1)
      problem("refused");
    return;
  }
  std::string error;
  FailureOr<mlir::ane::TargetAttr> target = mlir::ane::parseTarget(&context, mlir::ane::defaultTargetName, error);
  mlir::ane::setTarget(**module, *target, nullptr);
  PassManager pm(&context);
  pm.enableVerifier(false);
  mlir::ane::buildPhases(pm, mlir::ane::Phase::Input, mlir::ane::Phase::Emittable, {});
  outcome.compiled = succeeded(pm.run(**module));
  if (!outcome.compiled || !errors.empty())
    problem(outcome.compiled ? "compiled" : "imported, but not compiled");
}

/// The importer maps files, so the bytes become one, without a name in the file system.
static void compileBytes(StringRef bytes, Outcome &outcome) {
  int descriptor = memfd_create("model", 0);
  if (descriptor < 0 || write(descriptor, bytes.data(), bytes.size()) != ssize_t(bytes.size()))
    std::abort();
  compile("/proc/self/fd/" + std::to_string(descriptor), outcome);
  close(descriptor);
}

static double processorTime() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// Bytes of address space in use, libraries among them.
static rlim_t addressSpace() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * rlim_t(sysconf(_SC_PAGESIZE));
}

/// Compiles the models from `first` on and writes the outcome of each to `out`.
static void work(ArrayRef<StringRef> models, size_t first, int out) {
  rlim_t most = addressSpace() + maxBytes;
  rlimit memory{most, most}, core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &core);
  for (StringRef model : models.drop_front(first)) {
    itimerval timer{{0, 0}, {maxSeconds, 0}};
    setitimer(ITIMER_PROF, &timer, nullptr);
    Outcome outcome;
    double start = processorTime();
    compileBytes(model, outcome);
    outcome.seconds = processorTime() - start;
    if (write(out, &outcome, sizeof(outcome)) != ssize_t(sizeof(outcome)))
      std::_Exit(1);
  }
  std::_Exit(0);
}

static bool readAll(int in, void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = read(in, static_cast<char *>(data) + done, size - done);
    if (count <= 0)
      return false;
    done += size_t(count);
  }
  return true;
}

int main(int argc, char **argv) {
  auto file = argc == 2 ? llvm::MemoryBuffer::getFile(argv[1]) : std::make_error_code(std::errc::invalid_argument);
  if (!file) {
    std::fprintf(stderr, "usage: hostile_models FILE\n");
    return 2;
  }
  std::vector<StringRef> models;
  for (StringRef rest = (*file)->getBuffer(); rest.size() >= 4;) {
    size_t size = llvm::support::endian::read32le(rest.data());
    models.push_back(rest.substr(4, size));
    rest = rest.drop_front(std::min(rest.size(), 4 + size));
  }

  size_t compiled = 0, wrong = 0, slowest = 0;
  double seconds = 0;
  for (size_t next = 0; next < models.size();) {
    int ends[2];
    if (pipe(ends) != 0)
      std::abort();
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      work(models, next, ends[1]);
    }
    close(ends[1]);
    for (Outcome outcome; readAll(ends[0], &outcome, sizeof(outcome)); ++next) {
      compiled += outcome.compiled;
      if (outcome.seconds > seconds) {
        seconds = outcome.seconds;
        slowest = next;
      }
      if (*outcome.problem) {
        std::printf("%zu: %s\n", next, outcome.problem);
        ++wrong;
      }
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (next < models.size()) {
      std::printf("%zu: %s\n", next, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended by itself");
      ++wrong;
      ++next;
    }
  }
  std::printf("%zu models, %zu compiled, %zu wrong; the slowest is %zu: %.1f s\n", models.size(), compiled, wrong,
              slowest, seconds);
  return wrong != 0;
}
