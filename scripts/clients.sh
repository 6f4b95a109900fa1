# Sourced by ./dev: the Kafka clients that clients_e2e_test runs, beside kcat, Java's and those of examples/.
# shellcheck shell=bash

# The Python environment with kafka-python, aiokafka and the client of a schema registry, and the folder with kafkajs,
# which is empty until fetch_clients and where Node is missing: the tests leave it out.
export TOLLBRIDGE_CLIENTS_PYTHON="$ROOT/build/deps/clients-python/bin/python" TOLLBRIDGE_CLIENTS_NODE=''

# fetch_clients: the pinned packages, each once per version, after fetch_python. Node is not installed by ./dev.
fetch_clients() {
  local folder="$DEPS_DIR/clients-python"
  make_environment "$folder" "Kafka clients for Python" --require-hashes -r "$ROOT/tests/e2e/clients/requirements.txt"
  show_stubs "$folder"
  fetch_kafkajs
}

fetch_kafkajs() {
  install_node_packages kafkajs tests/e2e/clients || return 0
  TOLLBRIDGE_CLIENTS_NODE="$DEPS_DIR/kafkajs/node_modules"
}

# install_node_packages NAME FOLDER: what FOLDER's package-lock.json names, by its hashes, into build/deps/NAME, once
# for each content of it. Says so and fails where Node is missing.
install_node_packages() {
  local name=$1 lock="$ROOT/$2" folder="$DEPS_DIR/$1" made_from
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    say "$name is left out: it needs Node and npm"
    return 1
  fi
  made_from=$(cat "$lock/package.json" "$lock/package-lock.json" | sha256sum)
  [[ ! -e $folder/.made_from || $(<"$folder/.made_from") != "$made_from" ]] || return 0
  say "fetching $name"
  rm -rf "$folder"
  mkdir -p "$folder" "$SETUP_DIR"
  cp "$lock/package.json" "$lock/package-lock.json" "$folder"
  npm ci --silent --no-audit --no-fund --prefix "$folder" >"$SETUP_DIR/$name.log" 2>&1 || {
    tail -n 20 "$SETUP_DIR/$name.log" >&2
    die "fetching $name failed (log: build/.setup/$name.log)"
  }
  echo "$made_from" >"$folder/.made_from"
}
