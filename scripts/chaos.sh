# Sourced by ./dev: many operations while everything fails, and the audit of what is left.
# shellcheck shell=bash

# chaos_command [--preset PRESET] [--operations N] [--seed S] [--topology single|sentinel] [--late-beyond-bound]
#               [--planted NAME] [--with COMMIT] [--folder PATH]
# chaos_command events [--preset PRESET] [--orders N] [--seed S] [--topology single|cluster] [--readers-away]
#                      [--planted NAME] [--with COMMIT] [--folder PATH]
# On the release preset, unless another one is named; with a planted bug on dev, whose builds alone have
# test hooks. The last line is the auditor's; the status is 0 when it finds no contradiction.
chaos_command() {
  local preset=release program=tollbridge_chaos other='' with='' layout=$CHAOS_LAYOUT arguments=()
  if [[ ${1:-} == events ]]; then
    program=tollbridge_chaos_events
    layout=$CHAOS_EVENTS_LAYOUT
    shift
  fi
  while [[ $# -gt 0 ]]; do
    case $1 in
      --preset)
        need_preset "${2:-}"
        preset=$2
        shift
        ;;
      --with)
        with=${2:-}
        shift
        ;;
      --planted)
        preset=dev
        arguments+=("$1")
        ;;
      -h | --help)
        command_help chaos
        return
        ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  [[ -z $with ]] || other=$(chaos_commit "$with" "$layout")
  setup_group build test
  configure "$preset"
  fetch_kafka
  if [[ $program == tollbridge_chaos_events ]]; then
    # Consumers keep their ledgers behind the run.
    fetch_python
    build_go_example
  fi
  compile "$preset" "$program" tollbridge tollbridge-sandbox
  if [[ -n $other ]]; then
    chaos_other "$preset" "$other"
    arguments+=(--other-program "$ROOT/build/with/$other/build/$preset/bin/tollbridge")
  fi
  "$ROOT/build/$preset/bin/$program" "${arguments[@]}"
}

# The first commit whose store has the keys of today: gateways of an older one refuse it. And the first whose readers
# may share families with those of today.
readonly CHAOS_LAYOUT=2d37606
readonly CHAOS_EVENTS_LAYOUT=a71cf35b

# chaos_commit COMMIT LAYOUT: its whole name; ends the script for one that cannot share a store with this one, since it
# is older than LAYOUT.
chaos_commit() {
  local commit layout=$2
  commit=$(git -C "$ROOT" rev-parse --quiet --verify "$1^{commit}") || die "--with: no such commit: '$1'"
  git -C "$ROOT" merge-base --is-ancestor "$layout" "$commit" ||
    die "--with: the store of $1 has other keys; $layout is the first that has those of today"
  echo "$commit"
}

# chaos_other PRESET COMMIT: builds the gateway of that commit on the preset, in a clean worktree of its own.
chaos_other() {
  local preset=$1 folder=$ROOT/build/with/$2
  if [[ ! -e $folder/dev ]]; then
    git -C "$ROOT" worktree add --quiet --force --detach "$folder" "$2"
  fi
  say "building the gateway of ${2:0:12}"
  "$folder/dev" build "$preset" tollbridge
}
