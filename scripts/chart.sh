# Sourced by ./dev: the Helm chart. Its tools are Go modules, pinned by tests/kubernetes/tools, and built
# once into build/deps/kubernetes: Helm takes 4 minutes of a processor, a server of Kubernetes 21 more.
# shellcheck shell=bash

readonly CHART_TOOLS="$DEPS_DIR/kubernetes"
# What the go.mod files of the tools ask for.
readonly CHART_GO_MINOR=26

# build_chart_tool NAME PACKAGE...: the programs of tests/kubernetes/tools/NAME, once per version of what it pins.
build_chart_tool() {
  local name=$1 folder="$ROOT/tests/kubernetes/tools/$1" log="$SETUP_DIR/chart-$1.log" started=$SECONDS
  local made_from flags='-s -w' version
  shift
  made_from="$(go_release) $* $(cat "$folder/go.mod" "$folder/go.sum" | sha256sum)"
  [[ ! -e $CHART_TOOLS/$name.made_from || $(<"$CHART_TOOLS/$name.made_from") != "$made_from" ]] || return 0
  go_is_new_enough "$CHART_GO_MINOR" ||
    die "./dev chart needs Go 1.$CHART_GO_MINOR or newer for $name; found: $(go_release)"
  say "building $name for the checks of the chart (log: build/.setup/chart-$name.log)"
  mkdir -p "$CHART_TOOLS/bin" "$SETUP_DIR"
  # Helm reads the version of the server, and cannot parse what an unmarked build says.
  version=$(sed -nE 's/^require k8s\.io\/kubernetes v([0-9.]+).*/\1/p' "$folder/go.mod")
  if [[ $version =~ ^([0-9]+)\.([0-9]+)\. ]]; then
    flags+=" -X k8s.io/component-base/version.gitVersion=v$version"
    flags+=" -X k8s.io/component-base/version.gitMajor=${BASH_REMATCH[1]}"
    flags+=" -X k8s.io/component-base/version.gitMinor=${BASH_REMATCH[2]}"
  fi
  # Without cgo, which would want a C compiler for nothing.
  (cd "$folder" && CGO_ENABLED=0 GOTOOLCHAIN=local GOWORK=off GOFLAGS='' \
    go build -mod=readonly -buildvcs=false -p "$(nproc)" -ldflags "$flags" -o "$CHART_TOOLS/bin/" "$@") >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "building $name failed (log: build/.setup/chart-$name.log)"
  }
  echo "$made_from" >"$CHART_TOOLS/$name.made_from"
  say "built $name in $((SECONDS - started)) s"
}

# The Python of the checks, with what reads YAML.
fetch_chart_python() {
  make_environment "$DEPS_DIR/chart-python" "what the checks of the chart read YAML with" \
    --require-hashes -r "$ROOT/tests/kubernetes/requirements.txt"
}

# chart_python SCRIPT ARGUMENTS...: ends when this script does, and has time to stop what it started.
chart_python() {
  setpriv --pdeathsig TERM -- "$DEPS_DIR/chart-python/bin/python" "$ROOT/tests/kubernetes/$1" \
    --helm "$CHART_TOOLS/bin/helm" --program "$ROOT/build/dev/bin/tollbridge" "${@:2}"
}

chart_command() {
  local what=${1:-}
  [[ $# -le 1 ]] || die "./dev chart takes one argument at most; not: $*"
  [[ -z $what || $what == --server || $what == --export-schemas || $what == --package ]] ||
    die "./dev chart: no such option: $what"
  setup_group build test
  fetch_chart_python
  build_chart_tool helm helm.sh/helm/v3/cmd/helm
  if [[ $what == --package ]]; then
    mkdir -p "$ROOT/build/chart"
    "$CHART_TOOLS/bin/helm" package "$ROOT/deploy/helm/tollbridge" -d "$ROOT/build/chart"
    return
  fi
  if [[ -z $what ]]; then
    build_chart_tool kubeconform github.com/yannh/kubeconform/cmd/kubeconform
  else
    build_chart_tool etcd go.etcd.io/etcd/server/v3
    mv -f "$CHART_TOOLS/bin/server" "$CHART_TOOLS/bin/etcd" 2>/dev/null || true
    build_chart_tool kubernetes k8s.io/kubernetes/cmd/kube-apiserver \
      k8s.io/kubernetes/cmd/kube-controller-manager k8s.io/kubernetes/cmd/kube-scheduler
    build_chart_tool kwok sigs.k8s.io/kwok/cmd/kwok
    (cd "$ROOT/tests/kubernetes/tools/crds" && GOWORK=off GOTOOLCHAIN=local go mod download) ||
      die "the definitions of the Prometheus operator cannot be fetched"
  fi
  configure dev product
  compile dev tollbridge
  case $what in
    --server) chart_python server_check.py --programs "$CHART_TOOLS/bin" ;;
    --export-schemas) chart_python server_check.py --programs "$CHART_TOOLS/bin" --export ;;
    '')
      python3 "$ROOT/deploy/helm/make_files.py" --check --program "$ROOT/build/dev/bin/tollbridge" || die "renew them"
      chart_python chart_check.py --kubeconform "$CHART_TOOLS/bin/kubeconform"
      ;;
  esac
}
