# Sourced by ./dev: the Python environment of examples/python, for the tests and for trying them by
# hand.
# shellcheck shell=bash

export TOLLBRIDGE_PYTHON="$ROOT/build/deps/python/bin/python"

# make_environment FOLDER WHAT ARGUMENTS...: a Python environment with what pip installs for the
# arguments, made once for each content of them. Shows the end of its log and ends ./dev when it cannot be made.
make_environment() {
  local folder=$1 what=$2 log made_from argument
  shift 2
  mkdir -p "$SETUP_DIR"
  log="$SETUP_DIR/$(basename "$folder").log"
  made_from="$(python3 --version) $*"
  for argument in "$@"; do
    [[ ! -f $argument ]] || made_from+=" $(sha256sum <"$argument")"
  done
  [[ ! -e $folder/.made_from || $(<"$folder/.made_from") != "$made_from" ]] || return 0
  say "fetching $what"
  rm -rf "$folder"
  {
    python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
  } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "fetching $what failed (log: ${log#"$ROOT"/})"
  }
  echo "$made_from" >"$folder/.made_from"
}

# fetch_python: the pinned packages in an environment of their own, and in it the stubs of the .proto
# files; each once per version of what it is made from.
fetch_python() {
  local folder="$DEPS_DIR/python" log="$SETUP_DIR/python-stubs.log" stubs protos
  make_environment "$folder" "the Python packages of the examples" --require-hashes -r "$ROOT/examples/python/requirements.txt"
  mapfile -t protos < <(cd "$ROOT/proto" && find google tollbridge -name '*.proto' | LC_ALL=C sort)
  stubs=$(cd "$ROOT/proto" && sha256sum "${protos[@]}" | sha256sum)
  [[ ! -e $folder/.stubs || $(<"$folder/.stubs") != "$stubs" ]] || return 0
  rm -rf "$folder/stubs" "$folder/.stubs"
  mkdir -p "$folder/stubs"
  (cd "$ROOT/proto" && "$folder/bin/python" -m grpc_tools.protoc -I . --python_out="$folder/stubs" \
    --grpc_python_out="$folder/stubs" "${protos[@]}") >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "making the Python stubs failed (log: build/.setup/python-stubs.log)"
  }
  show_stubs "$folder"
  echo "$stubs" >"$folder/.stubs"
}

# show_stubs FOLDER: the interpreter of an environment finds the stubs of fetch_python by a path file.
show_stubs() {
  echo "$DEPS_DIR/python/stubs" >"$("$1/bin/python" -c 'import site; print(site.getsitepackages()[0])')/stubs.pth"
}
