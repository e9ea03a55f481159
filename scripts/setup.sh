#!/usr/bin/env bash
# Installs what the build and the tests need: Debian packages (scripts/packages.txt) and Python packages
# (scripts/requirements.txt) in .venv. Does nothing, quickly, when all of it is there.
#
#   scripts/setup.sh [--models] [--bench] [--macos]
#
#   --models  also .venv-models, which makes the models of the long tests (scripts/requirements-models.txt)
#   --bench   also .venv-bench: llama.cpp, compiled for this processor, beside which `ane-bench llm` measures (scripts/requirements-bench.txt)
#   --macos   also .venv-macos: headers and libraries of scripts/package_macos.sh (scripts/requirements-macos.txt)
#
# Indexes and mirrors are those of apt's and pip's own configuration. ANE_PYTHON names another python3 for .venv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '== %s\n' "$*"; }
fail() { printf 'setup.sh: error: %s\n' "$*" >&2; exit 1; }
listed() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$1"; }

setup_debian() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "not a Debian system: the equivalents of scripts/packages.txt must be installed already"
    return
  fi
  local missing=() package
  for package in $(listed scripts/packages.txt); do
    # Status, not presence: a removed package leaves its configuration behind.
    [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    return
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "not root and no sudo; as root: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  local options=(-y -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=600)
  "${as_root[@]}" apt-get "${options[@]}" update </dev/null
  "${as_root[@]}" apt-get "${options[@]}" install --no-install-recommends "${missing[@]}" </dev/null
}

# setup_python FOLDER REQUIREMENTS
setup_python() {
  local python=${ANE_PYTHON:-python3} stamp=$1/requirements.sha256 wanted
  wanted=$(sha256sum "$2")
  if [[ -x $1/bin/python && -f $stamp && "$(<"$stamp")" == "$wanted" ]]; then
    return
  fi
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "$python is missing or older than 3.11, which the pinned packages need; ANE_PYTHON names another one"
  say "making $1 with $("$python" --version)"
  [[ -x $1/bin/python ]] || "$python" -m venv "$1"
  "$1/bin/python" -m pip install --disable-pip-version-check --retries 5 --no-deps -r "$2" </dev/null
  printf '%s\n' "$wanted" >"$stamp"
}

setup_debian
setup_python .venv scripts/requirements.txt
for environment in "$@"; do
  if [[ $environment == --models ]]; then
    setup_python .venv-models scripts/requirements-models.txt
  elif [[ $environment == --macos ]]; then
    setup_python .venv-macos scripts/requirements-macos.txt
  elif [[ $environment == --bench ]]; then
    export CMAKE_ARGS="-DGGML_NATIVE=ON -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAVA_BUILD=OFF"
    if command -v ccache >/dev/null; then
      CMAKE_ARGS+=" -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
    fi
    CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)} setup_python .venv-bench scripts/requirements-bench.txt
  else
    fail "unknown argument '$environment'"
  fi
done
