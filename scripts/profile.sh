# Sourced by ./dev: what the release is compiled for (docs/adr/0061-compiled-for-what-runs.md).
# shellcheck shell=bash

# profile_command: writes cmake/tollbridge.profdata anew: builds a gateway that counts how often each
# part of it runs, has the benchmarks use it, and puts together what it counted.
profile_command() {
  local bin="$ROOT/build/counting/bin" counts="$ROOT/build/counting/counts" into="$ROOT/cmake/tollbridge.profdata" each
  local new="$ROOT/build/counting/tollbridge.profdata"
  local programs=(tollbridge-sandbox rpc_floor wire_floor webhook_floor rpc_bench events_bench)
  [[ $# -eq 0 ]] || die "./dev profile takes no arguments"
  setup_group build test
  fetch_kafka
  configure release
  compile release "${programs[@]}"
  configure counting product
  compile counting tollbridge
  # A benchmark takes the gateway that lies beside it, and does not itself count.
  for each in "${programs[@]}" rpc_bench.desc; do
    ln -f "$ROOT/build/release/bin/$each" "$bin/$each"
  done
  rm -rf "$counts"
  mkdir -p "$counts"
  count_part create rpc_bench --only gateway --call CreateOrder --seconds 8
  count_part get rpc_bench --only gateway --call GetOrder --seconds 8
  count_part search rpc_bench --only gateway --call SearchOrders --seconds 3
  count_part export rpc_bench --only gateway --call ExportOrders --seconds 3
  count_part tls rpc_bench --only gateway --only tls --call CreateOrder --call GetOrder --seconds 3
  count_part events events_bench --only ingest --only reader
  # By how much a service is called, not by how many loops each call runs through. Sparse: what was not
  # called is left out, and compiled as ever, not for size: callers have calls that the benchmarks have not.
  llvm-profdata-19 merge -sparse -o "$new" -weighted-input=10,"$counts/create.part" \
    -weighted-input=2,"$counts/get.part" "$counts/search.part" "$counts/export.part" \
    -weighted-input=2,"$counts/tls.part" -weighted-input=2,"$counts/events.part"
  if [[ -e $into ]]; then
    say "what the release was compiled for, and what runs now:"
    llvm-profdata-19 overlap "$into" "$new" | grep -E '# of functions|Edge profile overlap' >&2 || true
  fi
  mv "$new" "$into"
  say "wrote ${into#"$ROOT/"}: $(stat -c %s "$into") bytes"
}

# count_part NAME PROGRAM OPTIONS...: has a benchmark call the gateway, and keeps what that counted.
count_part() {
  local name=$1 program=$2 status=0
  shift 2
  say "counting: $name"
  "$bin/$program" "$ROOT/build/counting" "$@" >"$ROOT/build/counting/$name.log" 2>&1 || status=$?
  # 1: a bound is missed, as by a program that counts it may be. Not in order: what was counted is lost.
  if [[ $status -gt 1 || -z $(compgen -G "$counts/*.profraw") ]] ||
    grep -q 'did not end in order' "$ROOT/build/counting/$name.log"; then
    tail -n 20 "$ROOT/build/counting/$name.log" >&2
    die "profile: $program failed"
  fi
  llvm-profdata-19 merge -o "$counts/$name.part" "$counts"/*.profraw
  rm "$counts"/*.profraw
}
