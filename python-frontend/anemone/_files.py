"""Where the compiler, its tools and the runtime's library are."""
from __future__ import annotations

import os
import sys
from pathlib import Path

from .errors import Error

TOOLS = ("ane-compile", "ane-run", "ane-train", "ane-opt", "ane-translate")
LIBRARY = "libanemone.1.dylib" if sys.platform == "darwin" else "libanemone.so.1"
# For messages about shared libraries that are not there.
REMEDY = ("remedy: install what the package was built with (on Debian 12: apt install libmlir-19 libllvm19 libprotobuf-lite32 "
          "libabsl20220623 libpcre2-8-0 libutf8proc2 libzip4 libopenblas0 libzstd1 zlib1g), or a wheel made with scripts/wheel.sh --bundle-libraries")


def _find(folder: str, name: str) -> Path:
    """A file of the installed package; in a source tree, of the build that ANE_BUILD_DIR names."""
    package = Path(__file__).resolve().parent
    installed = package / folder / name
    if installed.exists():
        return installed
    build = package.parent.parent / os.environ.get("ANE_BUILD_DIR", "build")
    built = build / folder / name
    if built.exists():
        return built
    if name != LIBRARY and (package / "lib" / LIBRARY).exists():
        raise Error(f"{name} is not in this wheel, which runs, trains and chats with compiled bundles only (scripts/wheel.sh --runtime); "
                    "remedy: compile where a whole wheel is, on Linux for every Mac (hosts='arm64-apple-macos')")
    raise Error(f"{name} is neither in the package ({installed}) nor in a build ({built}); remedy: install the wheel, or "
                f"build the project and set ANE_BUILD_DIR")


def tool(name: str) -> Path:
    """Path of an executable."""
    return _find("bin", name)


def library() -> Path:
    """Path of the runtime's shared library."""
    return _find("lib", LIBRARY)
