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
  local folder="$DEPS_DIR/kafkajs"
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    say "kafkajs is left out: it needs Node and npm"
    return
  fi
  if [[ ! -e $folder/.version || $(<"$folder/.version") != "$KAFKAJS_VERSION" ]]; then
    say "fetching kafkajs $KAFKAJS_VERSION"
    rm -rf "$folder"
    npm install --silent --no-audit --no-fund --prefix "$folder" "kafkajs@$KAFKAJS_VERSION" \
      >"$SETUP_DIR/kafkajs.log" 2>&1 || {
      tail -n 20 "$SETUP_DIR/kafkajs.log" >&2
      die "fetching kafkajs failed (log: build/.setup/kafkajs.log)"
    }
    echo "$KAFKAJS_VERSION" >"$folder/.version"
  fi
  TOLLBRIDGE_CLIENTS_NODE="$folder/node_modules"
}
