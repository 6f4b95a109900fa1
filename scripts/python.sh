# Sourced by ./dev: the Python environment of examples/python, for the tests and for trying them by
# hand.
# shellcheck shell=bash

export TOLLBRIDGE_PYTHON="$ROOT/build/deps/python/bin/python"

# make_environment FOLDER LOG ARGUMENTS: a fresh Python environment with what pip installs for the
# arguments. Shows the end of the log and fails when it cannot be made.
make_environment() {
  rm -rf "$1"
  {
    python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check "${@:3}"
  } >"$2" 2>&1 || {
    tail -n 20 "$2" >&2
    return 1
  }
}

# fetch_python: the pinned packages in an environment of their own, and in it the stubs of the .proto
# files; each once per version of what it is made from.
fetch_python() {
  local folder="$DEPS_DIR/python" pins="$ROOT/examples/python/requirements.txt" log="$SETUP_DIR/python.log"
  local packages stubs protos
  mkdir -p "$SETUP_DIR"
  mapfile -t protos < <(cd "$ROOT/proto" && find google tollbridge -name '*.proto' | LC_ALL=C sort)
  packages="$(python3 --version) $(sha256sum <"$pins")"
  stubs="$packages $(cd "$ROOT/proto" && sha256sum "${protos[@]}" | sha256sum)"
  [[ -e $folder/.stubs && $(<"$folder/.stubs") == "$stubs" ]] && return
  if [[ ! -e $folder/.packages || $(<"$folder/.packages") != "$packages" ]]; then
    say "fetching the Python packages of the examples"
    make_environment "$folder" "$log" -r "$pins" ||
      die "fetching the Python packages failed (log: build/.setup/python.log)"
    echo "$packages" >"$folder/.packages"
  fi
  rm -rf "$folder/stubs" "$folder/.stubs"
  mkdir -p "$folder/stubs"
  (cd "$ROOT/proto" && "$folder/bin/python" -m grpc_tools.protoc -I . --python_out="$folder/stubs" \
    --grpc_python_out="$folder/stubs" "${protos[@]}") >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "making the Python stubs failed (log: build/.setup/python.log)"
  }
  # A path file is how the environment's interpreter finds them without being told.
  echo "$folder/stubs" >"$("$folder/bin/python" -c 'import site; print(site.getsitepackages()[0])')/stubs.pth"
  echo "$stubs" >"$folder/.stubs"
}
