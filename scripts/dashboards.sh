# Sourced by ./dev: writes deploy/observability/dashboards/*.json from dashboards.py.
# shellcheck shell=bash

# The Python environment with what dashboards.py is written with.
export TOLLBRIDGE_DASHBOARDS_PYTHON="$ROOT/build/deps/dashboards-python/bin/python"

# fetch_dashboards: the pinned package, once per version.
fetch_dashboards() {
  local folder="$DEPS_DIR/dashboards-python" pins="$ROOT/deploy/observability/dashboards/requirements.txt" made_from
  mkdir -p "$SETUP_DIR"
  made_from="$(python3 --version) $(sha256sum <"$pins")"
  [[ -e $folder/.packages && $(<"$folder/.packages") == "$made_from" ]] && return
  say "fetching the Python package for dashboards"
  make_environment "$folder" "$SETUP_DIR/dashboards.log" --require-hashes -r "$pins" ||
    die "fetching the Python package for dashboards failed (log: build/.setup/dashboards.log)"
  echo "$made_from" >"$folder/.packages"
}

dashboards_command() {
  [[ $# -eq 0 ]] || die "./dev dashboards takes no argument; not: $*"
  setup_group test
  fetch_dashboards
  "$TOLLBRIDGE_DASHBOARDS_PYTHON" deploy/observability/dashboards/dashboards.py deploy/observability/dashboards
}
