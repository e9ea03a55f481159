#!/usr/bin/env bash
# Configures and builds a preset of CMakePresets.json; the setup must be done (scripts/setup.sh).
#
#   scripts/build.sh [PRESET] [TARGET...]      default: preset release, everything
#
# ANE_JOBS: parallel compilations (default 2; a compilation of MLIR code takes up to 1 GB).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
shift || true
targets=()
for target in "$@"; do
  targets+=(--target "$target")
done

printf '== configuring preset %s\n' "$preset"
cmake --preset "$preset" </dev/null
printf '== building preset %s\n' "$preset"
cmake --build --preset "$preset" --parallel "${ANE_JOBS:-2}" "${targets[@]}" </dev/null
