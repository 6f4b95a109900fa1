# Sourced by ./dev: benchmarks, on the release preset.
# shellcheck shell=bash

# bench_command sandbox: prints the numbers, keeps them as build/bench/sandbox.json, and fails when
# one misses its bound. bench_command export: reads a large report through the gateway and directly,
# and fails when the first is too slow. bench_command rpc [OPTIONS]: measures calls of the gateway
# beside two floors and Envoy, keeps the numbers as build/bench/rpc.json, and fails when one misses its
# bound. bench_command events [OPTIONS]: measures the way from a webhook to its event, keeps the
# numbers as build/bench/events.json, and fails when one misses its bound. bench_command store
# [OPTIONS]: measures what operations cost Redis, keeps the numbers as build/bench/store.json, and
# fails when one misses its bound. bench_command attacks [OPTIONS]: what anybody who can connect to the
# gRPC port may try, beside honest calls whose latency has a bound then; options go to the test, as
# --gtest_filter. bench_command idle: what a gateway takes that nobody calls, in build/bench/idle.json; fails
# when a bound is missed. bench_command codec [PAGE [ROUNDS]]: prints what the way from the payment service's
# JSON to an answer costs. All want two processors that do nothing else.
bench_command() {
  local envoy
  case ${1:-} in
    sandbox | export | rpc | events | store | attacks | idle | codec) ;;
    *) die "no such benchmark: '${1:-}'; there are sandbox, export, rpc, events, store, attacks, idle and codec" ;;
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
    attacks)
      fetch_kafka
      compile release tollbridge tollbridge-sandbox attacks_e2e_test
      TOLLBRIDGE_ATTACKS_STRICT=1 "$ROOT/build/release/bin/attacks_e2e_test" --gtest_brief=1 \
        "${@:2}" || die "bench attacks: failed"
      ;;
    idle)
      fetch_kafka
      compile release tollbridge tollbridge-sandbox idle_bench
      "$ROOT/build/release/bin/idle_bench" "$ROOT/build/bench" || die "bench idle: failed"
      ;;
    codec)
      compile release tollbridge-sandbox codec_bench
      "$ROOT/build/release/bin/codec_bench" "${@:2}" || die "bench codec: failed"
      ;;
  esac
}
