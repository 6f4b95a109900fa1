# Sourced by ./dev: benchmarks, on the release preset.
# shellcheck shell=bash

# bench_command sandbox: prints the numbers, keeps them as build/bench/sandbox.json, and fails when
# one misses its bound. bench_command export: reads a large report through the gateway and directly,
# and fails when the first is too slow. Both want two processors that do nothing else.
bench_command() {
  setup_group build
  configure release
  case ${1:-} in
    sandbox)
      compile release tollbridge-sandbox beast_floor sandbox_bench
      "$ROOT/build/release/bin/sandbox_bench" "$ROOT/build/bench" || die "bench sandbox: failed"
      ;;
    export)
      setup_group test
      fetch_kafka
      compile release tollbridge tollbridge-sandbox export_bench
      "$ROOT/build/release/bin/export_bench" || die "bench export: failed"
      ;;
    *) die "no such benchmark: '${1:-}'; there are sandbox and export" ;;
  esac
}
