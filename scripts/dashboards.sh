# Sourced by ./dev: writes deploy/observability/dashboards/*.json from dashboards.py, and draws docs/pictures.
# shellcheck shell=bash

# The Python environment with what dashboards.py is written with.
export TOLLBRIDGE_DASHBOARDS_PYTHON="$ROOT/build/deps/dashboards-python/bin/python"

# fetch_dashboards: the pinned package, once per version.
fetch_dashboards() {
  make_environment "$DEPS_DIR/dashboards-python" "the Python package for dashboards" --require-hashes \
    -r "$ROOT/deploy/observability/dashboards/requirements.txt"
}

dashboards_command() {
  case "$*" in
    '') ;;
    --pictures)
      draw_pictures
      return
      ;;
    *) die "./dev dashboards takes --pictures or nothing; not: $*" ;;
  esac
  setup_group test
  fetch_dashboards
  "$TOLLBRIDGE_DASHBOARDS_PYTHON" deploy/observability/dashboards/dashboards.py deploy/observability/dashboards
}

# Draws a bad night: that of build/night, which ./dev test --label observability records first where it is missing.
draw_pictures() {
  local night="$ROOT/build/night"
  if [[ ! -e $night/OfThePipelineAndItsRoles.json ]]; then
    say "recording a bad night in build/night: half an hour"
    TOLLBRIDGE_RECORD_NIGHT=$night run_tests_command -R '^faults_e2e_test$' || die "the night did not go as it should"
  fi
  make_environment "$DEPS_DIR/pictures-python" "the Python packages for pictures" --require-hashes \
    -r "$ROOT/deploy/observability/dashboards/pictures-requirements.txt"
  "$DEPS_DIR/pictures-python/bin/python" deploy/observability/dashboards/pictures.py "$night" docs/pictures
  say "docs/pictures: $(cd docs/pictures && echo *.png)"
}
