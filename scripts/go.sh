# Sourced by ./dev: the programs of examples/go, for the tests and for trying them by hand; programs of other
# modules.
# shellcheck shell=bash

readonly GO_MINOR=24

# Where build_go_example puts the programs: a caller's and a consumer's. Empty until then, and where Go is
# missing: the tests leave them out.
export TOLLBRIDGE_GO_EXAMPLE='' TOLLBRIDGE_GO_LEDGER=''

# The machine's Go, as "go1.24.5"; empty when there is none. Go is not installed by ./dev: Debian 12's
# is too old.
go_release() { GOTOOLCHAIN=local go env GOVERSION 2>/dev/null || true; }

# go_is_new_enough MINOR: whether the machine has Go 1.MINOR or newer.
go_is_new_enough() {
  local minor
  minor=$(sed -nE 's/^go1\.([0-9]+).*/\1/p' <<<"$(go_release)")
  [[ ${minor:-0} -ge $1 ]]
}

# build_go_module NAME FOLDER WHAT PACKAGE...: programs of the module in a folder of this tree, of what its go.mod and
# go.sum pin, into build/deps/NAME; once per version of what they are made from. 1, and says so, where Go is missing.
build_go_module() {
  local folder="$DEPS_DIR/$1" source="$ROOT/$2" what=$3 log="$SETUP_DIR/$1.log" release made_from
  release=$(go_release)
  if ! go_is_new_enough "$GO_MINOR"; then
    say "left out: $what, which needs Go 1.$GO_MINOR or newer; found: ${release:-none}"
    return 1
  fi
  made_from="$release ${*:4} $(cd "$source" && sha256sum ./* | sha256sum)"
  if [[ ! -e $folder/.made_from || $(<"$folder/.made_from") != "$made_from" ]]; then
    say "building $what"
    rm -rf "$folder"
    (cd "$source" && CGO_ENABLED=0 GOTOOLCHAIN=local GOWORK=off go build -mod=readonly -buildvcs=false \
      -o "$folder/" "${@:4}") >"$log" 2>&1 || {
      tail -n 20 "$log" >&2
      die "building $what failed (log: build/.setup/$1.log)"
    }
    echo "$made_from" >"$folder/.made_from"
  fi
}

# build_go_example: the stubs of the .proto files, by the generators that go.mod pins, and the programs
# on them; once per version of what it is made from. Says so and does nothing where Go is missing.
build_go_example() {
  local folder="$DEPS_DIR/go-example" log="$SETUP_DIR/go.log" release protos made_from
  release=$(go_release)
  if ! go_is_new_enough "$GO_MINOR"; then
    say "examples/go is left out: it needs Go 1.$GO_MINOR or newer; found: ${release:-none}"
    return
  fi
  mkdir -p "$SETUP_DIR"
  # What callers need: not the formats of the gateway's own memory.
  mapfile -t protos < <(cd "$ROOT/proto" &&
    find tollbridge -name '*.proto' -not -path '*/storage/*' | LC_ALL=C sort)
  made_from="$release $(cd "$ROOT" && sha256sum "${protos[@]/#/proto/}" examples/go/*.* examples/go/*/* scripts/go.sh |
    sha256sum)"
  if [[ ! -e $folder/.made_from || $(<"$folder/.made_from") != "$made_from" ]]; then
    say "building the Go examples"
    rm -rf "$folder"
    make_go_example "$folder" "${protos[@]}" >"$log" 2>&1 || {
      tail -n 20 "$log" >&2
      die "building the Go examples failed (log: build/.setup/go.log)"
    }
    echo "$made_from" >"$folder/.made_from"
  fi
  TOLLBRIDGE_GO_EXAMPLE="$folder/hosted_page_refund"
  TOLLBRIDGE_GO_LEDGER="$folder/ledger"
}

# make_go_example FOLDER PROTO...
make_go_example() {
  local folder=$1 module=tollbridge.example/contract options=() proto package
  # Without cgo, which would want a C compiler for nothing.
  local build=(env CGO_ENABLED=0 GOTOOLCHAIN=local GOWORK=off go build -mod=readonly -buildvcs=false)
  shift
  # The .proto files name no Go package: they say nothing about any language.
  for proto in "$@"; do
    package=$(cut -d/ -f2 <<<"$proto")
    options+=("M$proto=$module/$package;$package")
  done
  mkdir -p "$folder/contract"
  printf 'module %s\n\ngo 1.%s.0\n' "$module" "$GO_MINOR" >"$folder/contract/go.mod"
  (cd "$ROOT/examples/go" && "${build[@]}" -o "$folder/bin/" \
    google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc) &&
    (cd "$ROOT/proto" && PATH="$folder/bin:$PATH" protoc -I . \
      --go_out="$folder/contract" --go-grpc_out="$folder/contract" \
      --go_opt="module=$module" --go-grpc_opt="module=$module" \
      "${options[@]/#/--go_opt=}" "${options[@]/#/--go-grpc_opt=}" "$@") &&
    (cd "$ROOT/examples/go" && "${build[@]}" -o "$folder/hosted_page_refund" . &&
      "${build[@]}" -o "$folder/ledger" ./ledger)
}
