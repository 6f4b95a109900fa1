# Sourced by ./dev: the Kafka clients that clients_e2e_test runs, beside kcat, Java's and those of examples/.
# shellcheck shell=bash

readonly KAFKAJS_VERSION=2.2.4

# The Python environment with kafka-python, aiokafka and the client of a schema registry, and the folder with kafkajs,
# which is empty until fetch_clients and where Node is missing: the tests leave it out.
export TOLLBRIDGE_CLIENTS_PYTHON="$ROOT/build/deps/clients-python/bin/python" TOLLBRIDGE_CLIENTS_NODE=''

# fetch_clients: the pinned packages, each once per version, after fetch_python. Node is not installed by ./dev.
fetch_clients() {
  local folder="$DEPS_DIR/clients-python"
  make_environment "$folder" "Kafka clients for Python" -r "$ROOT/tests/e2e/clients/requirements.txt"
  show_stubs "$folder"
  fetch_kafkajs
}

fetch_kafkajs() {
  install_node_packages kafkajs "kafkajs@$KAFKAJS_VERSION" || return 0
  TOLLBRIDGE_CLIENTS_NODE="$DEPS_DIR/kafkajs/node_modules"
}

# install_node_packages NAME PACKAGE@VERSION...: into build/deps/NAME, once per list of them. Says so and fails
# where Node is missing.
install_node_packages() {
  local name=$1 folder="$DEPS_DIR/$1"
  shift
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    say "$name is left out: it needs Node and npm"
    return 1
  fi
  [[ ! -e $folder/.version || $(<"$folder/.version") != "$*" ]] || return 0
  say "fetching $*"
  rm -rf "$folder"
  npm install --silent --no-audit --no-fund --prefix "$folder" "$@" >"$SETUP_DIR/$name.log" 2>&1 || {
    tail -n 20 "$SETUP_DIR/$name.log" >&2
    die "fetching $name failed (log: build/.setup/$name.log)"
  }
  echo "$*" >"$folder/.version"
}
