# Sourced by ./dev: many operations while everything fails, and the audit of what is left.
# shellcheck shell=bash

# chaos_command [--preset PRESET] [--operations N] [--seed S] [--topology single|sentinel] [--late-beyond-bound]
#               [--planted NAME] [--folder PATH]
# chaos_command events [--preset PRESET] [--orders N] [--seed S] [--folder PATH]
# On the release preset, unless another one is named; with a planted bug on dev, whose builds alone have test hooks. The last line is the auditor's; the status is
# 0 when it finds no contradiction.
chaos_command() {
  local preset=release program=tollbridge_chaos arguments=()
  if [[ ${1:-} == events ]]; then
    program=tollbridge_chaos_events
    shift
  fi
  while [[ $# -gt 0 ]]; do
    case $1 in
      --preset)
        need_preset "${2:-}"
        preset=$2
        shift
        ;;
      --planted)
        preset=dev
        arguments+=("$1")
        ;;
      -h | --help) die "./dev help says what ./dev chaos takes" ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  setup_group build test
  configure "$preset"
  fetch_kafka
  compile "$preset" "$program" tollbridge tollbridge-sandbox
  "$ROOT/build/$preset/bin/$program" "${arguments[@]}"
}
