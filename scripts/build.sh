# Sourced by ./dev: configures and compiles a preset.
# shellcheck shell=bash

readonly PRESETS=(dev release asan tsan fuzz)

# The version of the product, and the commit as the programs name it.
product_version() { sed -n 's/^project(tollbridge VERSION \([0-9.]*\) .*/\1/p' "$ROOT/CMakeLists.txt"; }
product_revision() { git -C "$ROOT" describe --always --abbrev=12 --dirty --exclude='*'; }

# need_preset PRESET: ends the script when there is no such preset.
need_preset() {
  [[ " ${PRESETS[*]} " == *" $1 "* ]] || die "no such preset: '$1'; there are ${PRESETS[*]}"
}

# configure PRESET [product]: brings its build folder up to date with the CMake files and the presets.
# With the tests, for which the group test has to be set up; for "product" without them, unless the
# folder has them already.
configure() {
  local preset=$1 what=${2:-tests} folder="build/$1" log="build/.setup/configure-$1.log" tests=ON
  [[ $preset != fuzz ]] || what=product
  [[ ! -e $folder/.configured || $(<"$folder/.configured") != tests ]] || what=tests
  [[ $what == tests ]] || tests=OFF
  if [[ ! -e $folder/build.ninja || CMakePresets.json -nt $folder/.configured || $(<"$folder/.configured") != "$what" ]]; then
    cmake --preset "$preset" "-DTOLLBRIDGE_BUILD_TESTS=$tests"
  else
    ninja -C "$folder" --quiet build.ninja
  fi >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    die "configuring the preset $preset failed (log: $log)"
  }
  echo "$what" >"$folder/.configured"
}

# compile PRESET [TARGETS]: shows how far it is; the whole log is in build/.setup.
compile() {
  local preset=$1 log="build/.setup/build-$1.log" started=$SECONDS
  shift
  NINJA_STATUS='%f/%t ' ninja -C "build/$preset" -j "$(nproc)" "$@" 2>&1 |
    tee "$log" | show_steps "building $preset" || {
    awk '/^FAILED: |^ninja: error/ { told = 1 } told && ++lines <= 80' "$log" >&2
    die "building the preset $preset failed (log: $log)"
  }
  [[ $preset != release* ]] || check_hardening "$ROOT/build/$preset"
  [[ $((SECONDS - started)) -lt 2 ]] || say "built $preset in $((SECONDS - started)) s"
}

# show_steps WHAT: reads lines that begin with "<done>/<all> ", and tells of them on one line that moves;
# where standard error is no terminal, on a line for each tenth.
show_steps() {
  local line tenth last=0
  while IFS= read -r line; do
    [[ $line =~ ^([0-9]+)/([0-9]+)\  ]] || continue
    if [[ -t 2 ]]; then
      printf '\r[dev] %s: %s of %s\e[K' "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
      last=moving
    else
      tenth=$((BASH_REMATCH[1] * 10 / BASH_REMATCH[2]))
      [[ $tenth -gt $last ]] || continue
      last=$tenth
      say "$1: ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
    fi
  done
  [[ $last != moving ]] || printf '\r\e[K' >&2
}
