# -*- python -*-
"""Configuration of the lit tests.

Substitutions: %python (the interpreter with the tests' packages), %shared (folder with mil-corpus), %src (source root),
%mlir_include (for -I of .td tests), %cxx; each tool by its name. Features: one per tool that is built, one per Python
package, and mil-corpus. ANE_OPT_ROUNDTRIP=1 adds --verify-roundtrip to every call of ane-opt.
"""
import os
import subprocess

import lit.formats

config.name = "Anemone"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".mil", ".td", ".test"]
config.excludes = ["Inputs", "Python", "Unit", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.ane_binary_root, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.ane_tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions += [
    ("%python", config.python),
    ("%shared", config.ane_shared_dir),
    ("%src", config.ane_source_root),
    ("%cxx", config.cxx),
    ("%mlir_include", config.mlir_include_dirs.split(";")[0]),
]
if os.environ.get("ANE_OPT_ROUNDTRIP"):
    config.substitutions.append((r"\bane-opt\b", "ane-opt --verify-roundtrip"))

for tool in sorted(os.listdir(config.ane_tools_dir)) if os.path.isdir(config.ane_tools_dir) else []:
    config.available_features.add(tool)


def has_package(package):
    command = [config.python, "-c", f"import importlib.util as u; raise SystemExit(u.find_spec('{package}') is None)"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


for package in ("numpy", "onnx", "onnxruntime", "coremltools"):
    if has_package(package):
        config.available_features.add(package)
if os.path.isfile(os.path.join(config.ane_shared_dir, "mil-corpus", "index.tsv")):
    config.available_features.add("mil-corpus")
