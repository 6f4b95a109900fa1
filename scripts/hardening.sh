# Sourced by ./dev: what programs that ship are hardened with, read from what was built.
# shellcheck shell=bash

# Of the release preset, and of the libraries that are built from source: both parse what the network sends.
# FORTIFY_SOURCE wants the optimizer, which both have.
readonly HARDENING_FLAGS=(-D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero)
# Of ours alone: the others are C.
readonly HARDENING_CXX_FLAGS=(-D_GLIBCXX_ASSERTIONS)

# hardening_flags: those of this machine's architecture too, a word each.
hardening_flags() {
  local flags=("${HARDENING_FLAGS[@]}")
  [[ $(uname -m) != x86_64 ]] || flags+=(-fcf-protection=full)
  echo "${flags[*]}"
}

# Of build/release, or another folder of a release's build.
hardening_command() {
  local folder=${1:-build/release}
  [[ -e $folder/bin/tollbridge ]] || die "there is no $folder/bin/tollbridge"
  check_hardening "$folder"
  say "$folder/bin/tollbridge is hardened as what ships has to be"
}

# check_hardening FOLDER: that the gateway in a build folder of a release has all of it, and so have the
# libraries in it. Ends ./dev with a line for each thing that is missing.
check_hardening() {
  local folder=$1 program=$1/bin/tollbridge missing=()
  [[ -e $program ]] || return 0
  check_program "$program"
  check_commands "$folder"
  check_archive librdkafka rdkafka
  check_archive hiredis hiredis
  check_archive hiredis hiredis_ssl
  [[ ${#missing[@]} -eq 0 ]] || {
    printf '%s\n' "${missing[@]}" >&2
    die "$program is not hardened as what ships has to be (scripts/hardening.sh)"
  }
}

# lacks TEXT PATTERN WHAT: adds WHAT to `missing` where no line of TEXT has the pattern.
lacks() {
  grep -qE -- "$2" <<<"$1" || missing+=("$3")
}

check_program() {
  local program=$1 dynamic segments imports
  dynamic=$(readelf -hdW "$program")
  lacks "$dynamic" 'Type: +DYN' "$program: is not position-independent"
  lacks "$dynamic" 'FLAGS_1.*PIE' "$program: is no PIE"
  lacks "$dynamic" 'FLAGS_1.*NOW' "$program: binds its symbols late"
  segments=$(readelf -lW "$program")
  lacks "$segments" 'GNU_RELRO' "$program: has no RELRO"
  lacks "$segments" 'GNU_STACK.* RW +0x' "$program: has a stack that can be executed"
  imports=$(nm -D --undefined-only "$program")
  lacks "$imports" '__stack_chk_fail' "$program: has no stack protector"
  lacks "$imports" '__(v?snprintf|mem(cpy|move|set)|str(n?cpy|cat)|read|recv)_chk' "$program: has no FORTIFY_SOURCE"
  lacks "$imports" '__glibcxx_assert_fail' "$program: has no assertions of libstdc++"
  [[ $(uname -m) == x86_64 ]] || return 0
  # The note of the whole program is gone where the C library's own objects have none: what counts is
  # where functions begin, ours and the libraries'.
  local name address
  for name in main rd_kafka_new redisReaderFeed; do
    # Reads to the end: who stops before leaves the other with a broken pipe.
    address=$(nm --defined-only "$program" | awk -v name="$name" '$3 == name && !found { print $1; found = 1 }')
    [[ -n $address ]] || {
      missing+=("$program: there is no function $name to look at")
      continue
    }
    lacks "$(objdump -d --start-address="0x$address" --stop-address="$(printf '0x%x' "$((16#$address + 4))")" "$program")" \
      'endbr64' "$program: $name is no place that a branch may go to (-fcf-protection)"
  done
}

# What leaves nothing in the program that says so: by the commands that compiled it.
check_commands() {
  local commands=$1/compile_commands.json flag flags ours
  read -ra flags <<<"$(hardening_flags)"
  ours=$(grep '"command":' "$commands")
  for flag in "${flags[@]}" "${HARDENING_CXX_FLAGS[@]}"; do
    ! grep -qvF -- " $flag " <<<"$ours" || missing+=("$commands: some file is compiled without $flag")
  done
}

# check_archive NAME LIBRARY: of build/deps/NAME.
check_archive() {
  local archive="$DEPS_DIR/$1/lib/lib$2.a" flag flags imports
  imports=$(nm "$archive" 2>/dev/null)
  lacks "$imports" ' U __stack_chk_fail' "$archive: has no stack protector"
  read -ra flags <<<"$(hardening_flags)"
  for flag in "${flags[@]}"; do
    lacks "$(<"$DEPS_DIR/$1/.stamp")" "(^| )$flag( |\$)" "$archive: is built without $flag"
  done
}
