# Sourced by ./dev: what must hold for every file, whatever the compiler says.
# shellcheck shell=bash

# Our files, tracked or about to be, whose names match the arguments (git pathspecs).
our_files() { git ls-files -co --exclude-standard --deduplicate -- "$@" | while read -r file; do
  [[ ! -f $file ]] || echo "$file"
done; }

format_command() {
  [[ $# -eq 0 ]] || die "./dev format takes no argument; not: $*"
  setup_group build lint
  our_files '*.cc' '*.h' '*.proto' | xargs -r clang-format-19 -i
  ! command -v gofmt >/dev/null || our_files '*.go' | xargs -r gofmt -w
}

# lint_command [--all]: every check reports before the command fails.
lint_command() {
  local failed=()
  [[ $# -eq 0 || $* == --all ]] || die "./dev lint: no such option: $*"
  setup_group build lint
  lint_format || failed+=(format)
  lint_text || failed+=(text)
  our_files dev .ci/run 'scripts/*.sh' 'examples/*.sh' | xargs -r shellcheck -x || failed+=(shellcheck)
  lint_contract || failed+=(buf)
  lint_tidy "$@" || failed+=(clang-tidy)
  [[ ${#failed[@]} -eq 0 ]] || die "lint: failed: ${failed[*]}"
  say "lint: clean"
}

lint_format() {
  local unformatted
  our_files '*.cc' '*.h' '*.proto' | xargs -r clang-format-19 --dry-run -Werror || return
  # Go is not installed by ./dev: a machine without it does not look.
  command -v gofmt >/dev/null || return 0
  unformatted=$(our_files '*.go' | xargs -r gofmt -l) || return
  [[ -z $unformatted ]] || { echo "not as gofmt writes it: $unformatted" && return 1; }
}

# Unfinished work, paths of a machine, addresses of hosts, and files that grew too long.
lint_text() {
  local files lines file clean=true
  mapfile -t files < <(our_files | grep -vE '^(LICENSE|scripts/lint\.sh)$')
  ! grep -nIE '\b(TODO|FIXME|XXX)\b' "${files[@]}" || clean=false
  ! grep -nIE '(^|[^A-Za-z0-9_.:])/(work|root|home)/[a-z]' "${files[@]}" || clean=false
  # Full host names may be those that are reserved for examples, or a standard's; addresses those of no network but one's own.
  ! grep -noIE 'https?://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+' "${files[@]}" |
    grep -vE '://((127|10|169\.254)\.[0-9.]+|0\.0\.0\.0)$' |
    grep -viE '[/.](example|test|invalid|example\.(com|org|net))$' |
    grep -vE '[/.](apache\.org|grpc\.io|protobuf\.dev|opentelemetry\.io|cloudevents\.io|w3\.org|json-schema\.org|redis\.io|rfc-editor\.org)$' ||
    clean=false
  while read -r file; do
    lines=$(wc -l <"$file")
    [[ $lines -le 600 ]] || { echo "$file has $lines lines; the limit is 600" && clean=false; }
  done < <(our_files '*.cc' '*.h' '*.go' '*.sh' '*.cmake' dev)
  $clean
}

# How many files clang-tidy can read in about two minutes, at 4 s of processor time a file.
readonly TIDY_LIMIT=60
# Where a mistake costs money: what is still checked of a change that is larger than that.
readonly TIDY_CORE='^services/(domain|operations|events)/'

# The published contract: buf's rules, and nothing that breaks a caller since the last state. A break
# on purpose is named in buf.yaml, with its ADR.
lint_contract() {
  local buf="$DEPS_DIR/buf/node_modules/.bin/buf" base clean=true
  install_node_packages buf scripts/requirements/buf || die "./dev lint needs buf"
  "$buf" lint || clean=false
  base=$(last_state)
  if [[ -n $base ]]; then
    "$buf" breaking --against ".git#ref=$base" || clean=false
  else
    say "there is no earlier commit to compare the contract with"
  fi
  $clean
}

# The commit that a change is compared with: the main branch's last state; on that branch itself the
# commit before. Empty when there is none.
last_state() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
    base=$(git rev-parse -q --verify HEAD~1 || true)
  fi
  echo "$base"
}

# clang-tidy over the product's sources that differ from the main branch's last state, or --all.
lint_tidy() {
  local base='' sources
  [[ ${1:-} == --all ]] || base=$(last_state)
  mapfile -t sources < <(
    if [[ -n $base ]]; then
      { git diff --name-only --diff-filter=d "$base" && git ls-files -o --exclude-standard; } |
        sort -u | grep -E '^(base|services|adapters|gateway|sandbox)/.*\.cc$'
    else
      our_files 'base/*.cc' 'services/*.cc' 'adapters/*.cc' 'gateway/*.cc' 'sandbox/*.cc'
    fi
  )
  if [[ ${1:-} != --all && ${#sources[@]} -gt $TIDY_LIMIT ]]; then
    say "more than $TIDY_LIMIT files changed: clang-tidy reads domain, operations and events only"
    mapfile -t sources < <(printf '%s\n' "${sources[@]}" | grep -E "$TIDY_CORE")
  fi
  [[ ${#sources[@]} -gt 0 ]] || return 0
  say "clang-tidy over ${#sources[@]} files"
  configure dev product
  compile dev tollbridge_proto_headers tollbridge_pch tollbridge_pch_proto
  printf '%s\0' "${sources[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy-19 -p build/dev --quiet 2> >(grep -v 'warnings generated' >&2)
}
