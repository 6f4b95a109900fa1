# Sourced by ./dev: benchmarks, on the release preset.
# shellcheck shell=bash

# bench_command sandbox: prints the numbers, keeps them as build/bench/sandbox.json, and fails when
# one misses its bound. Wants two processors that do nothing else.
bench_command() {
  [[ ${1:-} == sandbox ]] || die "no such benchmark: '${1:-}'; there is sandbox"
  setup_group build
  configure release
  compile release tollbridge-sandbox beast_floor sandbox_bench
  "$ROOT/build/release/bin/sandbox_bench" "$ROOT/build/bench" || die "bench sandbox: failed"
}
