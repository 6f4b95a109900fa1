# Sourced by ./dev: benchmarks, on the release preset.
# shellcheck shell=bash

# bench_command sandbox: prints the numbers, keeps them as build/bench/sandbox.json, and fails when
# one misses its bound. bench_command export: reads a large report through the gateway and directly,
# and fails when the first is too slow. bench_command rpc [OPTIONS]: measures calls of the gateway
# beside two floors and Envoy, keeps the numbers as build/bench/rpc.json, and fails when one misses its
# bound. bench_command events [OPTIONS]: measures the way from a webhook to its event, keeps the
# numbers as build/bench/events.json, and fails when one misses its bound. bench_command store
# [OPTIONS]: measures what operations cost Redis, keeps the numbers as build/bench/store.json, and
# fails when one misses its bound. All want two processors that do nothing else.
bench_command() {
  local envoy
  case ${1:-} in
    sandbox | export | rpc | events | store) ;;
    *) die "no such benchmark: '${1:-}'; there are sandbox, export, rpc, events and store" ;;
  esac
  setup_group build test
  configure release
  case ${1:-} in
    sandbox)
      compile release tollbridge-sandbox beast_floor sandbox_bench
      "$ROOT/build/release/bin/sandbox_bench" "$ROOT/build/bench" || die "bench sandbox: failed"
      ;;
    export)
      fetch_kafka
      compile release tollbridge tollbridge-sandbox export_bench
      "$ROOT/build/release/bin/export_bench" || die "bench export: failed"
      ;;
    rpc)
      fetch_kafka
      envoy=$(fetch_envoy) || envoy=
      compile release tollbridge tollbridge-sandbox rpc_floor wire_floor rpc_bench
      "$ROOT/build/release/bin/rpc_bench" "$ROOT/build/bench" ${envoy:+--envoy "$envoy"} \
        "${@:2}" || die "bench rpc: failed"
      ;;
    events)
      fetch_kafka
      compile release tollbridge tollbridge-sandbox webhook_floor events_bench
      "$ROOT/build/release/bin/events_bench" "$ROOT/build/bench" "${@:2}" ||
        die "bench events: failed"
      ;;
    store)
      compile release store_bench
      "$ROOT/build/release/bin/store_bench" "$ROOT/build/bench" "${@:2}" ||
        die "bench store: failed"
      ;;
  esac
}
