# Sourced by ./dev: builds and runs tests, and counts their cases.
# shellcheck shell=bash

# How many tests run side by side. Most of those on dev wait for processes, for Kafka, for time to pass;
# those that compute take several of the places (PROCESSORS in CMake).
readonly PLACES_ON_DEV=6 PLACES_UNDER_SANITIZER=4

# run_tests_command [-R NAME] [--label LABEL]... [--preset PRESET] [--all] [-- ctest arguments]
# Of several labels, a test has to have one. With no arguments: each test once, unit and contract tests
# under asan and the others on dev, without benchmarks. With --all: all of them on dev, and the unit and
# contract tests under asan, the sandbox's too. Under a sanitizer that is named, "everything" is the unit,
# contract and integration tests.
run_tests_command() {
  local preset='' label='' all='' selection=() extra=()
  while [[ $# -gt 0 ]]; do
    case $1 in
      -R | --label | --preset) [[ -n ${2:-} ]] || die "./dev test: $1 needs a value" ;;
    esac
    case $1 in
      -R) selection+=(-R "$2") && shift ;;
      --label) label+=${label:+|}$2 && shift ;;
      --preset) preset=$2 && shift ;;
      --all) all=yes ;;
      --) extra=("${@:2}") && break ;;
      *) die "./dev test: no such option: '$1' (a test is named by -R; what ctest is to get comes after --)" ;;
    esac
    shift
  done
  [[ -z $preset ]] || need_preset "$preset"
  setup_group build test
  PASSED=0 FAILED=0 NOT_RUN=0 TIMES=() FAILURES=()
  local started=$SECONDS
  if [[ -n $preset || -n $label || ${#selection[@]} -gt 0 ]]; then
    [[ -z $all ]] || die "--all goes with no selection"
    if [[ -n $label ]]; then
      selection+=(-L "^($label)\$")
    elif [[ ${preset:-dev} == asan || ${preset:-dev} == tsan ]]; then
      selection+=(-L '^(unit|contract|integration)$')
    fi
    prepare_and_run "${preset:-dev}" "${selection[@]}" "${extra[@]}"
  elif [[ -n $all ]]; then
    prepare_and_run dev "${extra[@]}"
    prepare_and_run asan -L '^(unit|contract)$' "${extra[@]}"
  else
    # What runs on dev mostly waits, and leaves the processors to the compiler.
    prepare_tests dev -L '^run_dev$' "${extra[@]}"
    compile_in_background asan -L '^run_asan$' "${extra[@]}"
    run_tests dev -L '^run_dev$' "${extra[@]}"
    wait "$COMPILING" || true
    prepare_and_run asan -L '^run_asan$' "${extra[@]}"
  fi
  [[ ${#TIMES[@]} -lt 20 ]] || {
    say "the slowest ten:"
    printf '%s\n' "${TIMES[@]}" | sort -rn | awk 'NR <= 10 { print "  " $0 }' >&2
  }
  [[ ${#FAILURES[@]} -eq 0 ]] || {
    say "what failed:"
    printf '  %s\n' "${FAILURES[@]}" >&2
  }
  [[ $NOT_RUN -eq 0 ]] || say "$NOT_RUN skipped or disabled, which is not allowed"
  say "$((SECONDS - started)) s in all"
  echo "$PASSED passed, $FAILED failed"
  [[ $FAILED -eq 0 && $NOT_RUN -eq 0 && $PASSED -gt 0 ]]
}

# prepare_tests PRESET SELECTION...: builds what ctest selects and fetches what it needs. Sets TESTS, and
# PROGRAMS: those whose cases are shared out are several tests (NAME.1 ...).
prepare_tests() {
  local preset=$1 list
  shift
  configure "$preset"
  list=$(cd "$ROOT/build/$preset" && ctest -N "$@")
  mapfile -t TESTS < <(sed -nE 's/^ *Test +#[0-9]+: //p' <<<"$list")
  [[ ${#TESTS[@]} -gt 0 ]] || die "no such test in the preset $preset: $*"
  mapfile -t PROGRAMS < <(printf '%s\n' "${TESTS[@]}" | sed -E 's/\.[0-9]+$//' | sort -u)
  if grep -qE '((^|_)(contract|integration|e2e)|(redis|kafka).*)_test$' < <(printf '%s\n' "${PROGRAMS[@]}"); then
    fetch_kafka
  fi
  if grep -qxE '(examples|consumers|clients)_e2e_test' < <(printf '%s\n' "${PROGRAMS[@]}"); then
    fetch_python
    build_go_example
    fetch_clients
  fi
  if grep -qx 'load_e2e_test' < <(printf '%s\n' "${PROGRAMS[@]}"); then fetch_python; fi
  if grep -qxE '(interop_clients|h2spec)_test' < <(printf '%s\n' "${PROGRAMS[@]}"); then
    fetch_python
    fetch_interop
  fi
  if grep -qx 'interop_more_clients_test' < <(printf '%s\n' "${PROGRAMS[@]}"); then fetch_interop_more; fi
  if grep -qx 'collector_e2e_test' < <(printf '%s\n' "${PROGRAMS[@]}"); then build_collector; fi
  if grep -qx 'rpc_tools_e2e_test' < <(printf '%s\n' "${PROGRAMS[@]}"); then fetch_rpc_tools; fi
  if grep -qx 'observability_e2e_test' < <(printf '%s\n' "${PROGRAMS[@]}"); then fetch_dashboards; fi
  ! one_broker_serves || PROGRAMS+=(test_kafka_broker)
  compile "$preset" "${PROGRAMS[@]}"
}

# Whether so many of TESTS want a broker that one is started for all of them; else each starts its own.
one_broker_serves() { [[ $(printf '%s\n' "${TESTS[@]}" | grep -cE '_e2e_test(\.[0-9]+)?$') -gt 2 ]]; }

# start_broker FOLDER: one Kafka broker for the tests of the build folder, until stop_broker or the end of
# this script.
start_broker() {
  local line
  coproc BROKER { exec "$1/bin/test_kafka_broker"; }
  IFS= read -r line <&"${BROKER[0]}" || die "the broker of the tests does not start"
  export TOLLBRIDGE_TEST_KAFKA="$1/test-results/kafka.json"
  printf '%s\n' "$line" >"$TOLLBRIDGE_TEST_KAFKA"
}

stop_broker() {
  local input=${BROKER[1]} process=$BROKER_PID
  unset TOLLBRIDGE_TEST_KAFKA
  exec {input}>&-
  wait "$process" || true
}

# compile_in_background PRESET SELECTION...: begins the same without a word and behind everything else;
# sets COMPILING, the process to wait for, which ends with this script. Whether it went well shows when
# the tests are run.
compile_in_background() {
  set -m
  (
    renice -n 10 "$BASHPID" >/dev/null
    prepare_tests "$@"
  ) >/dev/null 2>&1 &
  COMPILING=$!
  set +m
  trap 'kill -- "-$COMPILING" 2>/dev/null || true' EXIT
}

# prepare_and_run PRESET SELECTION...
prepare_and_run() {
  prepare_tests "$@"
  run_tests "$@"
}

# run_tests PRESET SELECTION...: runs what was prepared, and adds up the cases.
run_tests() {
  local preset=$1 folder="$ROOT/build/$1" places=$PLACES_ON_DEV
  shift
  rm -rf "$folder/test-results"
  mkdir -p "$folder/test-results"
  sanitizer_environment
  [[ $preset != asan && $preset != tsan ]] || places=$PLACES_UNDER_SANITIZER
  ! one_broker_serves || start_broker "$folder"
  say "running ${#TESTS[@]} test programs on $preset"
  # A test's own output is shown where it fails.
  (cd "$folder" && ctest -j "$places" --output-on-failure --no-tests=error "$@" 2>&1) |
    tee "$folder/test-results/ctest.log" | show_tests "$preset" || true
  ! one_broker_serves || stop_broker
  mapfile -t -O "${#TIMES[@]}" TIMES < <(
    sed -nE "s/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*/\2 s \1 ($preset)/p" \
      "$folder/test-results/ctest.log"
  )
  count_cases "$folder/test-results" "${TESTS[@]}"
}

# show_tests PRESET: of what ctest prints, a line for each program that has ended, and all that failed.
show_tests() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^\ *([0-9]+/[0-9]+)\ Test\ +#[0-9]+:\ ([^ ]+)\ [\ .]*(.*[^ ])\ +([0-9.]+)\ sec ]]; then
      say "$1 ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}: ${BASH_REMATCH[3]}, ${BASH_REMATCH[4]} s"
    elif [[ ! $line =~ ^(\ *Start\ +[0-9]+:|Test\ project|Label\ Time|Total\ Test\ time|[a-z0-9_]+\ +=\ ) && -n $line ]]; then
      printf '%s\n' "$line" >&2
    fi
  done
}

# count_cases FOLDER TESTS...: adds gtest's own numbers to PASSED, FAILED and NOT_RUN, and to FAILURES
# what the last lines of a run say of each failed case: the beginning of its first failure. A program that
# left no result crashed or ran out of time, and counts as one failed case; so does one that ended badly
# although its cases passed: a leak, a crash at its end, a suite's own set-up.
count_cases() {
  local folder=$1 test counts
  declare -A ended_well=()
  shift
  while read -r test; do
    ended_well[$test]=1
  done < <(sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) [ .]*Passed +[0-9.]+ sec.*/\1/p' "$folder/ctest.log")
  for test in "$@"; do
    if [[ ! -s $folder/$test.xml ]]; then
      FAILURES+=("$test: did not end")
      FAILED=$((FAILED + 1))
      continue
    fi
    mapfile -t counts < <(awk '
      function number(name) { return match($0, " " name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3) + 0 : 0 }
      /<testsuites / { total = number("tests"); failed = number("failures") + number("errors"); off = number("disabled") }
      /<testsuite / { off += number("skipped") }
      END { print total - failed - off; print failed; print off }' "$folder/$test.xml")
    PASSED=$((PASSED + counts[0]))
    FAILED=$((FAILED + counts[1]))
    NOT_RUN=$((NOT_RUN + counts[2]))
    if [[ ${counts[1]} -eq 0 && -z ${ended_well[$test]:-} ]]; then
      FAILURES+=("$test: ended badly, though none of its cases failed")
      FAILED=$((FAILED + 1))
    fi
    [[ ${counts[2]} -eq 0 ]] || FAILURES+=("$test: ${counts[2]} skipped or disabled")
    [[ ${counts[1]} -eq 0 ]] || mapfile -t -O "${#FAILURES[@]}" FAILURES < <(awk -v program="$test" '
      function value(name) { return match($0, " " name "=\"[^\"]*") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : "" }
      /<testcase / { name = value("classname") "." value("name"); told = 0 }
      /<failure / && !told {
        text = value("message")
        gsub(/(&#x0A;)+ */, " / ", text)
        gsub(/&quot;/, "\"", text)
        gsub(/&apos;/, "\047", text)
        gsub(/&lt;/, "<", text)
        gsub(/&gt;/, ">", text)
        gsub(/&amp;/, "\\&", text)
        print program ": " name ": " substr(text, 1, 500)
        told = 1
      }' "$folder/$test.xml")
  done
}

sanitizer_environment() {
  local symbolizer
  symbolizer=$(command -v llvm-symbolizer-19)
  export ASAN_OPTIONS="external_symbolizer_path=$symbolizer"
  # What libraries that are not instrumented find in memory that was freed is seen too.
  ASAN_OPTIONS+=":max_free_fill_size=4096:free_fill_byte=90"
  export UBSAN_OPTIONS="print_stacktrace=1:external_symbolizer_path=$symbolizer"
  export TSAN_OPTIONS="ignore_noninstrumented_modules=1:external_symbolizer_path=$symbolizer"
  TSAN_OPTIONS+=":suppressions=$ROOT/tests/support/tsan.supp"
}
