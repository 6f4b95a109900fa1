#!/usr/bin/env bash
# Runs the programs of this folder against a gateway and the sandbox behind it:
#
#   ./dev demo                         # in another terminal: it stays up
#   . build/demo/addresses.env
#   examples/python/run_all.sh --gateway $GRPC_ADDR --sandbox $SANDBOX_URL [FLOW...]
#
# FLOW is the name of a program without .py; none: all of them. Ends with 0 only if every flow came to
# its end, and at once when there is nothing at an address. ./dev tool python makes the environment that they run in.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly HERE
readonly PYTHON=${TOLLBRIDGE_PYTHON:-$HERE/../../build/deps/python/bin/python}
# What a flow ends with when it cannot reach an address; the others would not either.
readonly CANNOT_REACH=3
readonly FLOWS=(
  hosted_page own_checkout one_click account_funding wallet_a_session wallet_b_encrypted
  wallet_b_decrypted external_3ds recurring preauthorization payout_card payout_vault_token
)

usage() {
  sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

addresses=()
flows=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --gateway | --sandbox)
      [[ $# -ge 2 ]] || usage
      addresses+=("$1" "$2")
      shift
      ;;
    --list) printf '%s\n' "${FLOWS[@]}" && exit ;;
    -*) usage ;;
    *) flows+=("$1") ;;
  esac
  shift
done
[[ ${#addresses[@]} -eq 4 ]] || usage
[[ ${#flows[@]} -gt 0 ]] || flows=("${FLOWS[@]}")
[[ -x $PYTHON ]] || { echo "there is no $PYTHON: run ./dev tool python" >&2 && exit 2; }

failed=()
for flow in "${flows[@]}"; do
  printf '\n== %s\n' "$flow"
  "$PYTHON" -B "$HERE/$flow.py" "${addresses[@]}" || {
    code=$?
    failed+=("$flow")
    [[ $code -ne $CANNOT_REACH ]] || break
  }
done
[[ ${#failed[@]} -eq 0 ]] || { printf '\nfailed: %s\n' "${failed[*]}" >&2 && exit 1; }
printf '\n%d flows came to their end.\n' "${#flows[@]}"
