# Sourced by ./dev: builds and runs tests, and counts their cases.
# shellcheck shell=bash

# run_tests_command [-R NAME] [--label LABEL]... [--preset PRESET] [ctest arguments]
# Of several labels, a test has to have one. With no arguments: everything on dev, then the unit and
# contract tests under asan. Under a sanitizer, "everything" is the unit, contract and integration
# tests.
run_tests_command() {
  local preset='' label='' selection=() extra=()
  while [[ $# -gt 0 ]]; do
    case $1 in
      -R) selection+=(-R "${2:?-R needs a name}") && shift ;;
      --label) label+=${label:+|}${2:?--label needs a label} && shift ;;
      --preset) preset=${2:?--preset needs a preset} && shift ;;
      *) extra+=("$1") ;;
    esac
    shift
  done
  setup_group build test
  PASSED=0 FAILED=0 NOT_RUN=0
  if [[ -z $preset && -z $label && ${#selection[@]} -eq 0 ]]; then
    run_tests dev "${extra[@]}"
    run_tests asan -L '^(unit|contract)$' "${extra[@]}"
  else
    if [[ -n $label ]]; then
      selection+=(-L "^($label)\$")
    elif [[ ${preset:-dev} == asan || ${preset:-dev} == tsan ]]; then
      selection+=(-L '^(unit|contract|integration)$')
    fi
    run_tests "${preset:-dev}" "${selection[@]}" "${extra[@]}"
  fi
  [[ $NOT_RUN -eq 0 ]] || echo "$NOT_RUN skipped or disabled, which is not allowed" >&2
  echo "$PASSED passed, $FAILED failed"
  [[ $FAILED -eq 0 && $NOT_RUN -eq 0 && $PASSED -gt 0 ]]
}

# run_tests PRESET SELECTION...: builds what ctest selects, runs it, and adds up the cases.
run_tests() {
  local preset=$1 folder="$ROOT/build/$1" list tests
  shift
  configure "$preset"
  list=$(cd "$folder" && ctest -N "$@")
  mapfile -t tests < <(sed -nE 's/^ *Test +#[0-9]+: //p' <<<"$list")
  [[ ${#tests[@]} -gt 0 ]] || die "no such test in the preset $preset: $*"
  if grep -qE '((^|_)(contract|integration|e2e)|(redis|kafka).*)_test$' < <(printf '%s\n' "${tests[@]}"); then
    fetch_kafka
  fi
  if printf '%s\n' "${tests[@]}" | grep -xE '(examples|consumers)_e2e_test' >/dev/null; then
    fetch_python
    build_go_example
  fi
  compile "$preset" "${tests[@]}"
  rm -rf "$folder/test-results"
  mkdir -p "$folder/test-results"
  sanitizer_environment
  (cd "$folder" && ctest -j2 --output-on-failure --no-tests=error "$@") || true
  count_cases "$folder/test-results" "${tests[@]}"
}

# count_cases FOLDER TESTS...: adds gtest's own numbers to PASSED, FAILED and NOT_RUN. A program
# that left no result crashed or ran out of time, and counts as one failed case.
count_cases() {
  local folder=$1 test counts
  shift
  for test in "$@"; do
    if [[ ! -s $folder/$test.xml ]]; then
      echo "$test did not end" >&2
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
  done
}

sanitizer_environment() {
  local symbolizer
  symbolizer=$(command -v llvm-symbolizer-19)
  export ASAN_OPTIONS="external_symbolizer_path=$symbolizer"
  export UBSAN_OPTIONS="print_stacktrace=1:external_symbolizer_path=$symbolizer"
  export TSAN_OPTIONS="ignore_noninstrumented_modules=1:external_symbolizer_path=$symbolizer"
  TSAN_OPTIONS+=":suppressions=$ROOT/tests/support/tsan.supp"
}
