# Sourced by ./dev: writes docs/contract from the .proto files.
# shellcheck shell=bash

contract_command() {
  [[ $# -eq 0 ]] || die "./dev contract takes no argument; not: $*"
  build_command dev event_contract_test
  # It fails where what it wrote is not what it reads.
  TOLLBRIDGE_WRITE=1 build/dev/bin/event_contract_test --gtest_brief=1
}
