# Sourced by ./dev: writes deploy/observability/dashboards/*.json from dashboards.py.
# shellcheck shell=bash

# The Python environment with what dashboards.py is written with.
export TOLLBRIDGE_DASHBOARDS_PYTHON="$ROOT/build/deps/dashboards-python/bin/python"

# fetch_dashboards: the pinned package, once per version.
fetch_dashboards() {
  make_environment "$DEPS_DIR/dashboards-python" "the Python package for dashboards" --require-hashes \
    -r "$ROOT/deploy/observability/dashboards/requirements.txt"
}

dashboards_command() {
  [[ $# -eq 0 ]] || die "./dev dashboards takes no argument; not: $*"
  setup_group test
  fetch_dashboards
  "$TOLLBRIDGE_DASHBOARDS_PYTHON" deploy/observability/dashboards/dashboards.py deploy/observability/dashboards
}
