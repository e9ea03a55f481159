#!/bin/sh
# Tries Anemone on the Neural Engine of this Mac and makes one file to send back.
#
#   ./mac-check.sh [--output=mac-check.json] [--device=ane] [--bin=FOLDER] [--checks=FOLDER] [--models=FOLDER]
#
# Takes about five minutes and no password, and leaves nothing behind but the file. In it are the chip, the model of the
# machine, the build of macOS, and what the checks gave. No name of a user, machine or folder is, and no serial number:
# look at it before you send it. Exit code: 0 when the file is there, whatever the checks gave; 1 when it can't be made;
# 2 for wrong use.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
device=ane bin=$here/bin checks=$here/bundles/ops models=$here/bundles output=mac-check.json

fail() {
  printf 'mac-check.sh: %s\n' "$2" >&2
  exit "$1"
}
for argument in "$@"; do
  case $argument in
    --device=?*) device=${argument#*=} ;;
    --bin=?*) bin=${argument#*=} ;;
    --checks=?*) checks=${argument#*=} ;;
    --models=?*) models=${argument#*=} ;;
    --output=?*) output=${argument#*=} ;;
    *) fail 2 "unknown argument '$argument'; usage: mac-check.sh [--output=FILE] [--device=ane] [--bin=FOLDER] [--checks=FOLDER] [--models=FOLDER]" ;;
  esac
done
[ -x "$bin/ane-run" ] || fail 1 "there is no program ane-run in $bin: run the script from the unpacked archive, or say --bin=FOLDER"
[ -d "$checks" ] || fail 1 "there is no folder $checks with bundles: run the script from the unpacked archive, or say --checks=FOLDER"
bin=$(cd "$bin" && pwd) checks=$(cd "$checks" && pwd)
models=$(cd "$models" 2>/dev/null && pwd) || models=$checks
case $output in /*) ;; *) output=$PWD/$output ;; esac
[ ! -d "$output" ] || fail 2 "--output=$output is a folder; name the file that is to be made, as in --output=$output/mac-check.json"

# On macOS NSTemporaryDirectory() is this folder of the user, whatever TMPDIR is (swift-package-manager, pull request 2334).
system=$(getconf DARWIN_USER_TEMP_DIR 2>/dev/null) && [ -d "$system" ] || system=
system=${system%/}
# What the framework and the runtime leave in it: a folder of each program, and a file of locks.
leavings() {
  [ -z "$system" ] || ls -A "$system" | grep -E '^([0-9A-Fa-f]+_){2}[0-9A-Fa-f]+$|^\.anemone-[0-9]+\.lock$'
}

work=$(mktemp -d "${TMPDIR:-/tmp}/mac-check.XXXXXX") || fail 1 "no temporary folder can be made"
partial=$output.partial.$$
leavings >"$work/before"
child=
tidy() {
  [ -z "$child" ] || kill -9 "$child" 2>/dev/null
  leavings | comm -13 "$work/before" - | while read -r name; do rm -rf "${system:?}/$name"; done
  rm -rf "$work" "$partial"
}
trap tidy EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir "$work/tmp"
true 2>/dev/null >"$partial" || fail 1 "$output can't be written"

# attempt SECONDS COMMAND...: its exit code, or 124 after so long; output in $work/out and $work/err. macOS has no timeout.
# In $silent, how many in a row gave no answer.
silent=0
attempt() {
  limit=$1 began=$(date +%s)
  shift
  TMPDIR="$work/tmp" ANE_CACHE_DIR="$work/tmp" "$@" </dev/null >"$work/out" 2>"$work/err" &
  child=$!
  while kill -0 "$child" 2>/dev/null; do
    if [ $(($(date +%s) - began)) -ge "$limit" ]; then
      kill -9 "$child" 2>/dev/null
      wait "$child" 2>/dev/null
      seconds=$limit child= silent=$((silent + 1))
      return 124
    fi
    sleep 0.1
  done
  wait "$child"
  code=$? child= silent=0
  seconds=$(($(date +%s) - began))
  return "$code"
}

# asks NAME: false when the engine hangs; what is not asked then is listed.
unasked=
asks() {
  [ "$silent" -ge 3 ] || return 0
  unasked="$unasked${unasked:+, }\"$1\""
  printf '%-32s %s\n' "$1" "not asked: three in a row gave no answer" >&2
  return 1
}

# The text of a file as a JSON string.
quoted() {
  printf '"%s"' "$(tr '\n\t\r' '   ' <"$1" | tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g')"
}

# result NAME CODE: one JSON object about the attempt. What ane-run printed is JSON if it succeeded.
result() {
  printf '{"name": "%s", "exit": %d, "seconds": %d, "messages": ' "$1" "$2" "$seconds"
  quoted "$work/err"
  printf ', "report": '
  if [ "$2" -eq 0 ]; then cat "$work/out"; else printf 'null'; fi
  printf '}'
}

# What becomes of a check, for who looks on.
verdict() {
  awk -v code="$1" '
    /"status": "refused"/ { refused = 1 }
    /"kind": "program"/ { programs = 1 }
    /"max_abs":/ { gsub(/[",]/, ""); largest = $2 }
    /"max_reference":/ { gsub(/[",]/, ""); if ($2 == 0) $2 = 1; if (largest == "nan" || largest == "inf" || largest / $2 > 0.02) wrong = 1 }
    END {
      if (code == 124) print "no answer"
      else if (code != 0) print "failed"
      else if (refused) print "refused"
      else if (!programs) print "CPU only"
      else if (wrong) print "wrong values"
      else print "ok"
    }' "$work/out"
}

# Other texts for those that name this user, machine or folder: names that hold others come first. A path goes wherever it is, a
# word as a whole from what is said: keys, and values of one word, are the report's own.
scrub() {
  awk -v names="$work/names" '
    function replaced(text, from, to, whole,   at, end, result) {
      while ((at = index(text, from)) > 0) {
        end = at + length(from)
        part = whole && ((result substr(text, 1, at - 1)) ~ /[A-Za-z0-9_]$/ || substr(text, end) ~ /^[A-Za-z0-9_]/)
        result = result substr(text, 1, at - 1) (part ? from : to)
        text = substr(text, end)
      }
      return result text
    }
    function said(text,   i) {
      for (i = 1; i <= count; ++i) if (from[i] !~ /\//) text = replaced(text, from[i], to[i], 1)
      return text
    }
    BEGIN { while ((getline line < names) > 0) { split(line, pair, "\t"); from[++count] = pair[1]; to[count] = pair[2] } }
    {
      for (i = 1; i <= count; ++i) if (from[i] ~ /\//) $0 = replaced($0, from[i], to[i], 0)
      rest = $0
      line = ""
      while (match(rest, /"([^"\\]|\\.)*"/)) {
        string = substr(rest, RSTART, RLENGTH)
        line = line substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        line = line (rest !~ /^ *:/ && string ~ /[ \/]/ ? said(string) : string)
      }
      print line rest
    }'
}

# found LIST FILE OPTION...: whether one of a list is in a file, or nobody can tell.
found() {
  list=$1 in=$2
  shift 2
  [ -s "$list" ] || return 1
  grep -F "$@" -f "$list" "$in" >/dev/null
  [ $? -ne 1 ]
}

# Whether a file names this user, machine or folder, found in another way than above.
tells() {
  cut -f1 "$work/names" | grep / >"$work/paths"
  cut -f1 "$work/names" | grep -v / >"$work/words"
  sed 's/"[^"\\]*" *://g; s/"[A-Za-z0-9_.-]*"//g' "$1" >"$work/said"
  found "$work/paths" "$1" || found "$work/words" "$work/said" -w
}

printf 'Checks of the Neural Engine: about five minutes. Ctrl-C ends them, and nothing is left.\n'
library=${device#ane:}
[ "$library" = "$device" ] && library=
{
  printf '%s\tWORK\n%s\tBIN\n%s\tCHECKS\n%s\tMODELS\n%s\tHERE\n' "$work" "$bin" "$checks" "$models" "$here"
  [ -n "$library" ] && printf '%s\tLIBRARY\n' "$library"
  for name in "$system" "$([ -n "$system" ] && cd -P "$system" && pwd)"; do
    case $name in */T) printf '%s\tUSER\n' "${name%/T}" ;; esac # beside it are the user's caches
    [ -n "$name" ] && printf '%s\tTEMP\n' "$name"
  done
  [ -n "${HOME:-}" ] && [ "$HOME" != / ] && printf '%s\tHOME\n' "$HOME"
  for name in "$(hostname 2>/dev/null)" "$(hostname -s 2>/dev/null)" "$(id -un)"; do
    [ ${#name} -ge 4 ] && printf '%s\tNAME\n' "$name"
  done
} | awk -F '\t' '{ print length($1) "\t" $0 }' | sort -rn | cut -f2- >"$work/names"

cd "$checks" || fail 1 "the folder $checks can't be entered"
{
  printf '{"schema": 1, "date": "%s", "framework": "%s",\n"binaries": [' "$(date -u +%Y-%m-%d)" \
    "$([ "$device" = ane ] && echo system || echo other)"
  comma=
  for program in ane-run ane-train; do
    attempt 60 "$bin/$program" --version
    code=$?
    printf '%s{"name": "%s", "exit": %d, "version": ' "$comma" "$program" "$code"
    quoted "$work/out"
    printf '}'
    comma=', '
    printf '%-32s %s\n' "$program starts" "$([ $code -eq 0 ] && echo ok || echo failed)" >&2
  done
  printf '],\n"machine": '
  attempt 60 "$bin/ane-run" --probe=machine "--device=$device"
  result machine $?
  printf ',\n"ops": ['
  comma=
  for bundle in *.anebundle; do
    [ -d "$bundle" ] || continue
    name=${bundle%.anebundle}
    asks "$name" || continue
    attempt 120 "$bin/ane-run" "$bundle" "--device=$device" --random-inputs --repeat=20 --compare-device=cpu --profile --json
    code=$?
    printf '%s\n' "$comma"
    result "$name" $code
    comma=,
    printf '%-32s %s\n' "$name" "$(verdict $code)" >&2
  done
  # Of whole models the encoder runs once as a bundle, and the chat answers.
  printf '],\n"models": ['
  comma=
  if [ -d "$models/minilm.anebundle" ] && asks minilm; then
    attempt 300 "$bin/ane-run" "$models/minilm.anebundle" "--device=$device" --random-inputs --repeat=20 --compare-device=cpu --profile --json
    code=$?
    result minilm $code
    comma=,
    printf '%-32s %s\n' minilm "$(verdict $code)" >&2
  fi
  if [ -d "$models/chat.anebundle" ] && asks chat; then
    attempt 300 "$bin/ane-run" "$models/chat.anebundle" "--device=$device" "--prompt=The capital of France is" --max-tokens=32 --json
    code=$?
    tail -n 1 "$work/out" >"$work/end" && mv "$work/end" "$work/out" # before it an object for each token
    printf '%s\n' "$comma"
    result chat $code
    printf '%-32s %s\n' chat "$([ $code -eq 0 ] && echo answers || echo failed)" >&2
  fi
  # Last, as they use up what a process may have; the second of a pair finds what the first has compiled.
  printf '],\n"probes": ['
  comma=
  seed=$(date +%s)
  for probe in constants weights evaluation chain programs programs; do
    asks "$probe" || continue
    attempt 600 "$bin/ane-run" "--probe=$probe" "--device=$device" "--seed=$seed"
    code=$?
    printf '%s\n' "$comma"
    result "$probe" $code
    comma=,
    printf '%-32s %s\n' "probe of $probe" "$([ $code -eq 0 ] && echo done || echo failed)" >&2
  done
  printf '],\n"not_asked": [%s]}\n' "$unasked"
} >"$work/all"
cd - >/dev/null || exit 1

scrub <"$work/all" >"$partial" || fail 1 "$output can't be written"
if tells "$partial"; then
  fail 1 "the result still names this user, machine or a folder, and is thrown away; this is a defect of the script"
fi
mv "$partial" "$output" || fail 1 "$output can't be written"
printf 'The result is in %s. Please look at it, and send it back.\n' "$output"
