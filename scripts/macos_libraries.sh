#!/usr/bin/env bash
# Makes the folder of which cmake/macos/toolchain.cmake speaks, built for arm64 macOS 14: libc++ from the sources in pip's ziglang, which
# has Apple's headers and libSystem.tbd as well, and what the runtime links from Debian's source packages.
#
#   scripts/macos_libraries.sh BUILD        writes BUILD/sysroot; scripts/package_macos.sh calls it
#
# Sources are those of the system's apt sources of origin Debian, read through lists of their own: the system's stay as they are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

began=$SECONDS
say() { printf '== %s (%d s)\n' "$*" $((SECONDS - began)); }
fail() { printf 'macos_libraries.sh: error: %s\n' "$*" >&2; exit 1; }
source=$PWD
mkdir -p "$1"
build=$(cd "$1" && pwd)
sysroot=$build/sysroot
sources=$build/sources
zig=$(.venv-macos/bin/python -c 'import ziglang; print(ziglang.__path__[0])')/lib
packages=(abseil utf8proc pcre2 zlib libzip)

# origins FILE OPTION...: of source packages, where the system's binary ones come from, in its order: of places with one version, apt takes
# the first.
origins() {
  apt-get indextargets "${@:2}" --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' >"$1"
}

# Versions as apt knows them, the newest first: a mirror may lack one that its list names.
unpack() {
  local package version apt=(-o "Dir::Etc::SourceList=$sources/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$sources/lists")
  rm -rf "$sources" && mkdir -p "$sources/lists/partial"
  origins "$sources/sources.list"
  if [[ ! -s $sources/sources.list ]]; then
    # Nobody has updated the system's lists: who is in them is not known.
    apt-get -o "Dir::State::Lists=$sources/lists" -q -o Acquire::Retries=3 update
    origins "$sources/sources.list" -o "Dir::State::Lists=$sources/lists"
  fi
  [[ -s $sources/sources.list ]] || fail "apt knows no list of origin Debian"
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

# An SDK's folder usr, but for libc++.
make_system() {
  local headers=$sysroot/usr/include
  rm -rf "$sysroot" "$build/llvm" && mkdir -p "$headers/c++" "$sysroot/usr/lib" "$sysroot/include" "$sysroot/share/cmake" "$build/llvm"
  cp -r "$zig/libc/include/any-macos-any/." "$headers/"
  cp -r "$zig/libcxx/include" "$headers/c++/v1"
  cp -r "$zig/libcxxabi/include/." "$headers/c++/v1/"
  # zig gives these as options.
  sed -i '1i #include <__config_site>' "$headers/c++/v1/__config"
  printf '#define %s\n' '_LIBCPP_ABI_VERSION 1' '_LIBCPP_ABI_NAMESPACE __1' '_LIBCPP_HARDENING_MODE_DEFAULT 2' _LIBCPP_PSTL_BACKEND_SERIAL \
    _LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS _LIBCPP_HAS_NO_TIME_ZONE_DATABASE >"$headers/c++/v1/__config_site"
  cp -r "$zig/libcxx" "$zig/libcxxabi" "$build/llvm/"
  cp "$zig/libc/darwin/libSystem.tbd" "$sysroot/usr/lib/"
  # Nothing but headers.
  cp -rL /usr/include/nlohmann /usr/include/xxhash.h "$sysroot/include/"
  cp -rL /usr/share/cmake/nlohmann_json "$sysroot/share/cmake/"
}

make_library() {
  local package=$1 from=$2 folder=$build/libraries/$1
  shift 2
  [[ ! -f $folder/done ]] || return 0
  say "building $package"
  cmake -S "$from" -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$source/cmake/macos/toolchain.cmake" -DANE_MACOS_SYSROOT="$sysroot" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF \
    -DCMAKE_INSTALL_PREFIX="$sysroot" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POLICY_DEFAULT_CMP0077=NEW \
    -Wno-dev --no-warn-unused-cli "$@" &>"$build/$package.log" ||
    fail "$package does not configure: see $build/$package.log"
  cmake --build "$folder" --parallel "${ANE_JOBS:-2}" &>>"$build/$package.log" || fail "$package does not build: see $build/$package.log"
  cmake --install "$folder" >>"$build/$package.log"
  rm -f "$sysroot"/lib/*.dylib
  touch "$folder/done"
}

# Downloads go on while libc++ is compiled.
fetching=
if [[ ! -f $sources/versions ]]; then
  (unpack) &>"$build/sources.log" &
  fetching=$!
fi
wanted=$(sha256sum scripts/requirements-macos.txt scripts/macos_libraries.sh cmake/macos/*.cmake cmake/macos/libcxx/CMakeLists.txt)
if [[ ! -f $sysroot/made || $(<"$sysroot/made") != "$wanted" ]]; then
  rm -rf "$build/libraries" "$build/runtime"
  [[ -n $fetching ]] || rm -f "$sources/versions"
  make_system
  printf '%s\n' "$wanted" >"$sysroot/made"
fi
# Nothing links before it is there.
make_library libcxx cmake/macos/libcxx -DANE_LIBCXX="$build/llvm" -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
[[ -z $fetching ]] || wait "$fetching" || fail "no sources of Debian's packages: $(tail -n 3 "$build/sources.log")"
make_library abseil "$sources/abseil" -DCMAKE_CXX_STANDARD=17 -DABSL_PROPAGATE_CXX_STD=ON
make_library utf8proc "$sources/utf8proc"
make_library pcre2 "$sources/pcre2" -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_BUILD_TESTS=OFF -DPCRE2_SHOW_REPORT=OFF
make_library zlib "$sources/zlib"
make_library libzip "$sources/libzip" -DENABLE_{COMMONCRYPTO,GNUTLS,MBEDTLS,OPENSSL,BZIP2,LZMA}=OFF -DBUILD_{TOOLS,REGRESS,EXAMPLES,DOC}=OFF
# A static library brings what it needs.
sed -i -e '/ -lz$/!s/^Libs: .*/& -lz/' -e '/^Libs.private/d' "$sysroot/lib/pkgconfig/libzip.pc"
