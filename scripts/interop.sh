# Sourced by ./dev: gRPC's own clients in other languages, the tools that call the gRPC server, and the collector that
# traces go to, for the tests.
# shellcheck shell=bash

readonly GRPCURL_VERSION=v1.9.3 GHZ_VERSION=v0.93.0

# The folders of programs in Go, of jars and of packages for Node, and the stubs for Python. Empty until they are
# fetched, and where Go or Node is missing: the tests leave them out.
export TOLLBRIDGE_INTEROP_GO='' TOLLBRIDGE_INTEROP_JAVA='' TOLLBRIDGE_INTEROP_NODE='' TOLLBRIDGE_INTEROP_PYTHON=''
export TOLLBRIDGE_RPC_TOOLS='' TOLLBRIDGE_COLLECTOR=''

# fetch_interop: what is run by default, after fetch_python.
fetch_interop() {
  fetch_interop_stubs
  build_interop_go
}

# fetch_interop_more: the clients that take longer, by name or label only.
fetch_interop_more() {
  fetch_interop_jars
  fetch_grpc_js
}

# The stubs of grpc.testing, by grpcio-tools.
fetch_interop_stubs() {
  local folder="$DEPS_DIR/interop-stubs" proto=tests/support/proto/grpc/testing/test_service.proto log made_from
  log="$SETUP_DIR/interop-stubs.log"
  made_from="$("$TOLLBRIDGE_PYTHON" --version) $(cd "$ROOT" && sha256sum "$proto" examples/python/requirements.txt)"
  if [[ ! -e $folder/.made_from || $(<"$folder/.made_from") != "$made_from" ]]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    "$TOLLBRIDGE_PYTHON" -m grpc_tools.protoc -I "$ROOT/$(dirname "$proto")" --python_out="$folder" \
      --grpc_python_out="$folder" "$(basename "$proto")" >"$log" 2>&1 || {
      tail -n 20 "$log" >&2
      die "making the stubs of grpc.testing failed (log: build/.setup/interop-stubs.log)"
    }
    echo "$made_from" >"$folder/.made_from"
  fi
  TOLLBRIDGE_INTEROP_PYTHON=$folder
}

# gRPC's client in Go, and h2spec. Says so and does nothing where Go is missing.
build_interop_go() {
  build_go_module interop-go tests/interop/tools "gRPC's client in Go, and h2spec" \
    google.golang.org/grpc/interop/client github.com/summerwind/h2spec/cmd/h2spec || return 0
  TOLLBRIDGE_INTEROP_GO="$DEPS_DIR/interop-go"
}

# The OpenTelemetry Collector. Says so and does nothing where Go is missing.
build_collector() {
  build_go_module collector tests/e2e/collector 'the OpenTelemetry Collector' . || return 0
  TOLLBRIDGE_COLLECTOR="$DEPS_DIR/collector/collector"
}

# gRPC's client in Java.
fetch_interop_jars() {
  TOLLBRIDGE_INTEROP_JAVA="$DEPS_DIR/interop-java"
  fetch_jars "$TOLLBRIDGE_INTEROP_JAVA" tests/interop/clients "gRPC's client in Java"
}

fetch_grpc_js() {
  install_node_packages grpc-js tests/interop/clients || return 0
  TOLLBRIDGE_INTEROP_NODE="$DEPS_DIR/grpc-js/node_modules"
}

# fetch_rpc_tools: grpcurl and ghz, where there is Go.
fetch_rpc_tools() {
  if ! go_is_new_enough "$GO_MINOR"; then
    say "grpcurl and ghz are left out: they need Go 1.$GO_MINOR or newer; found: $(go_release)"
    return
  fi
  install_go_tool grpcurl
  install_go_tool ghz
  TOLLBRIDGE_RPC_TOOLS="$DEPS_DIR/go/bin"
}

# install_go_tool grpcurl|ghz: into build/deps/go/bin, once per version.
install_go_tool() {
  local bin="$DEPS_DIR/go/bin" module
  case $1 in
    grpcurl) module="github.com/fullstorydev/grpcurl/cmd/grpcurl@$GRPCURL_VERSION" ;;
    ghz) module="github.com/bojand/ghz/cmd/ghz@$GHZ_VERSION" ;;
  esac
  if [[ -x $bin/$1 ]] && go version -m "$bin/$1" 2>/dev/null | grep -qP "^\tmod\t.*\t${module##*@}\t"; then
    return
  fi
  go_is_new_enough "$GO_MINOR" || die "$1 needs Go 1.$GO_MINOR or newer; found: $(go_release)"
  CGO_ENABLED=0 GOBIN="$bin" go install "$module" >&2 || die "installing $1 failed"
}
