#!/usr/bin/env bash
# Makes the folder of which cmake/macos/toolchain.cmake speaks: zig and what the runtime links, built for arm64 macOS 14 from Debian's source packages.
#
#   scripts/macos_libraries.sh BUILD        writes BUILD/sysroot; scripts/package_macos.sh calls it
#
# Sources are those of the system's apt sources of origin Debian, read through lists of their own: the system's stay as they are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '== %s\n' "$*"; }
fail() { printf 'macos_libraries.sh: error: %s\n' "$*" >&2; exit 1; }
source=$PWD
mkdir -p "$1"
build=$(cd "$1" && pwd)
sysroot=$build/sysroot
sources=$build/sources
zig=$(.venv-macos/bin/python -c 'import ziglang; print(ziglang.__path__[0])')
packages=(abseil utf8proc pcre2 zlib libzip)

# Versions as apt knows them, the newest first: a mirror may lack one that its list names.
unpack() {
  local package version apt=(-o "Dir::Etc::SourceList=$sources/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$sources/lists")
  rm -rf "$sources" && mkdir -p "$sources/lists/partial"
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' >"$sources/sources.list"
  [[ -s $sources/sources.list ]] || fail "apt knows no list of origin Debian; remedy: apt-get update"
  apt-get "${apt[@]}" -q -o Acquire::Retries=3 update
  cd "$sources"
  for package in "${packages[@]}"; do
    local got=
    while read -r version; do
      if apt-get "${apt[@]}" -qq -o APT::Sandbox::User=root source --download-only "$package=$version"; then got=$version && break; fi
    done < <(apt-cache "${apt[@]}" showsrc "$package" | sed -n 's/^Version: //p' | sort -rVu)
    [[ -n $got ]] || fail "no source package of $package can be fetched"
    dpkg-source --no-check -x "${package}_${got#*:}.dsc" "$package" >/dev/null
    printf '%s %s\n' "$package" "$got" >>versions.new
  done
  cd "$source"
  # It asks CoreFoundation for the time zone, whose header is Apple's. Nothing here asks for one.
  sed -i 's/defined(__APPLE__)/0/' "$sources/abseil/absl/time/internal/cctz/src/time_zone_lookup.cc"
  sed -i 's/\$<\$<PLATFORM_ID:Darwin>:\${CoreFoundation}>//' "$sources/abseil/absl/time/CMakeLists.txt"
  # Instructions of x86 are asked for by the name of the system, and nothing here needs these parts.
  sed -i -E '/add_subdirectory\((random|flags)\)/d' "$sources/abseil/absl/CMakeLists.txt"
  # Of Debian: a library of GCC's, and how GNU's linker is asked for it.
  sed -i '/-latomic/d' "$sources/abseil/absl/copts/AbseilConfigureCopts.cmake"
  # This zlib takes macOS for the system before it, which had no fdopen(). Debian's has no such folder.
  sed -i 's/defined(TARGET_OS_MAC)/0/' "$sources/zlib/zutil.h"
  sed -i 's/^ *win32.zlib1.rc.*//' "$sources/zlib/CMakeLists.txt"
  mv "$sources/versions.new" "$sources/versions"
}

# What zig links C++ with. It builds libc++ when it is first asked, in minutes.
link_system() {
  local library found=$build/found
  mkdir -p "$sysroot/lib" "$sysroot/include" "$sysroot/share/cmake"
  ln -sfn "$zig/zig" "$sysroot/zig"
  # LLVM 19 does not know the newest processors.
  sed -E 's/arm64e\.x1-[a-z]+,? *//g; s/, *\]/ ]/' "$zig/lib/libc/darwin/libSystem.tbd" >"$sysroot/lib/libSystem.tbd"
  # Nothing but headers.
  cp -rLu /usr/include/nlohmann /usr/include/xxhash.h "$sysroot/include/"
  cp -rLu /usr/share/cmake/nlohmann_json "$sysroot/share/cmake/"
  printf 'int main() { return 0; }\n' >"$found.cpp"
  ZIG_VERBOSE_LINK=1 "$sysroot/zig" c++ -target aarch64-macos.14.0 -O2 "$found.cpp" -o "$found" 2>"$found.log"
  for library in libc++.a libc++abi.a libcompiler_rt.a; do
    local path
    path=$(tr ' ' '\n' <"$found.log" | grep -m 1 "/$library\$") || fail "zig does not say where $library is: $(<"$found.log")"
    ln -sf "$path" "$sysroot/lib/"
  done
}

make_library() {
  local package=$1 folder=$build/libraries/$1
  shift
  [[ ! -f $folder/done ]] || return 0
  say "building $package"
  cmake -S "$sources/$package" -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$source/cmake/macos/toolchain.cmake" -DANE_MACOS_SYSROOT="$sysroot" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF \
    -DCMAKE_INSTALL_PREFIX="$sysroot" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POLICY_DEFAULT_CMP0077=NEW \
    -Wno-dev --no-warn-unused-cli "$@" &>"$build/$package.log" ||
    fail "$package does not configure: see $build/$package.log"
  cmake --build "$folder" --parallel "${ANE_JOBS:-2}" &>>"$build/$package.log" || fail "$package does not build: see $build/$package.log"
  cmake --install "$folder" >>"$build/$package.log"
  rm -f "$sysroot"/lib/*.dylib
  touch "$folder/done"
}

[[ -f $sources/versions ]] || unpack
say "zig's libraries for macOS (some minutes, if its cache is empty)"
link_system
make_library abseil -DCMAKE_CXX_STANDARD=17 -DABSL_PROPAGATE_CXX_STD=ON
make_library utf8proc
make_library pcre2 -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_BUILD_TESTS=OFF -DPCRE2_SHOW_REPORT=OFF
make_library zlib
make_library libzip -DENABLE_{COMMONCRYPTO,GNUTLS,MBEDTLS,OPENSSL,BZIP2,LZMA}=OFF -DBUILD_{TOOLS,REGRESS,EXAMPLES,DOC}=OFF
# A static library brings what it needs.
sed -i -e 's/^Libs: .*/& -lz/' -e '/^Libs.private/d' "$sysroot/lib/pkgconfig/libzip.pc"
