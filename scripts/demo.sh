#!/usr/bin/env bash
# Sets up, builds, compiles a sentence-embedding transformer and runs it on the engine's emulator and on the CPU twin.
#
#   scripts/demo.sh [SENTENCE...]
#
# Leaves the bundle and its report in build/demo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
scripts/build.sh release ane-compile ane-run
exec .venv/bin/python scripts/demo.py "$@"
