#!/usr/bin/env bash
# Packs the Python package with the compiler and the runtime of a finished build into build/wheel/anemone-*.whl.
#
#   scripts/wheel.sh [--bundle-libraries | --runtime] [DIRECTORY]
#
#   --bundle-libraries  also LLVM's and all other shared libraries (a big wheel that needs no Debian packages)
#   --runtime           without the compiler: runs and trains what another wheel compiled (also of a build of runtime/ alone)
#   DIRECTORY           where to write, instead of build/wheel
#
# ANE_BUILD_DIR names another build than build/; ANE_PYTHON another python3 (with pip) than that of .venv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export ANE_WHEEL_LIBRARIES=system ANE_WHEEL_PARTS="Runtime Emulator Compiler"
case ${1:-} in
  --bundle-libraries) ANE_WHEEL_LIBRARIES=bundle; shift ;;
  --runtime) ANE_WHEEL_PARTS=Runtime; shift ;;
esac
export ANE_BUILD_DIR=${ANE_BUILD_DIR:-build}
directory=${1:-$ANE_BUILD_DIR/wheel}
python=.venv/bin/python
[[ -x $python ]] || python=python3
python=${ANE_PYTHON:-$python}
mkdir -p "$directory"
# Nothing is downloaded: the backend (scripts/requirements.txt) is there. The same build gives the same bytes.
export SOURCE_DATE_EPOCH=315532800
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-index --no-build-isolation --wheel-dir "$directory" \
  ./python-frontend
ls -l "$directory"/anemone-*.whl
