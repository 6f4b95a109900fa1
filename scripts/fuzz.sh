# Sourced by ./dev: runs libFuzzer on the programs of tests/fuzz.
# shellcheck shell=bash

# fuzz_command NAME SECONDS: fuzzes tests/fuzz/NAME.cc for so long, from the corpus in the repository
# and from what earlier runs have found.
fuzz_command() {
  local name=${1:-} seconds=${2:-} targets folder="$ROOT/build/fuzz" status=0
  targets=$(sed -nE 's/^tollbridge_fuzz\(([a-z_]+).*/\1/p' "$ROOT/tests/fuzz/CMakeLists.txt")
  grep -qxF -- "$name" <<<"$targets" || die "no such fuzz target: '$name'; there is ${targets//$'\n'/, }"
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || die "./dev fuzz NAME SECONDS: '$seconds' is no number of seconds"
  setup_group build test
  configure fuzz
  compile fuzz "fuzz_$name"
  mkdir -p "$folder/corpus/$name" "$folder/crashes/$name"
  sanitizer_environment
  # What was freed is kept for less long than usual, so that the limit of memory means the target.
  ASAN_OPTIONS+=":quarantine_size_mb=32"
  # A target may keep state between inputs on purpose: leaks are looked for at the end only.
  # The first folder is the one that grows; the other is only read.
  TOLLBRIDGE_FUZZ_HISTORY="$folder/crashes/$name/history" "$folder/bin/fuzz_$name" \
    -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=10 -max_len=16384 \
    -dict="$ROOT/tests/fuzz/$name.dict" -artifact_prefix="$folder/crashes/$name/" \
    -detect_leaks=0 -print_final_stats=1 "$folder/corpus/$name" "$ROOT/tests/fuzz/corpus/$name" || status=$?
  [[ $status -ne 0 ]] || { say "fuzz $name: $seconds s without a finding" && return; }
  say "fuzz $name: a finding, see above; its input was written to build/fuzz/crashes/$name"
  [[ -e $folder/crashes/$name/history ]] || return 1
  mv "$folder/crashes/$name/history" "$folder/crashes/$name/history-$$"
  say "to see it again, with the state it met:"
  say "  build/fuzz/bin/fuzz_$name build/fuzz/crashes/$name/history-$$"
  return 1
}
