#!/usr/bin/env bash
# Sets up, builds and runs all tests. The last line is "N passed, N failed, N skipped"; a failure makes the exit code 1.
#
#   scripts/test.sh [--full] [--filter TEXT] [--no-asan] [--table FILE]
#
#   --full         also the tests that take long; writes docs/test-results.md
#   --filter TEXT  only tests whose name contains TEXT
#   --no-asan      leave out the sanitized builds: runtime and importer (asan), threads of the runtime (tsan)
#   --table FILE   write the results as a page
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' scripts/test.sh; }
asan=1
environments=(--macos)
arguments=()
while (($#)); do
  case $1 in
    --full) arguments+=(--full); environments+=(--models --bench) ;;
    --filter) [[ $# -ge 2 ]] || { echo "test.sh: --filter needs a text" >&2; exit 2; }
              arguments+=(--filter "$2"); shift ;;
    --filter=*) arguments+=(--filter "${1#*=}") ;;
    --table) [[ $# -ge 2 ]] || { echo "test.sh: --table needs a file" >&2; exit 2; }
             arguments+=(--table "$2"); shift ;;
    --no-asan) asan=0; arguments+=(--no-asan) ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test.sh: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

# A step that does not end well is a failed test: the last line is printed in every case.
step() {
  "$@" && return
  printf '\nFAILED: %s\n0 passed, 1 failed, 0 skipped\n' "$*"
  exit 1
}
step scripts/setup.sh "${environments[@]}"
step scripts/build.sh release
((asan)) && step scripts/build.sh asan ane-asan-tests && step scripts/build.sh tsan ane-tsan-tests
exec .venv/bin/python scripts/run_tests.py "${arguments[@]}"
