#!/usr/bin/env bash
# man_pages.sh PROGRAM FOLDER: a manual page for a program and for each of its commands, from what
# --help says of them. Page "tollbridge-dlq-replay" is of the command "tollbridge dlq replay".
set -euo pipefail

readonly PROGRAM=$1 FOLDER=$2

# Those that --help lists, one a line.
subcommands() {
  "$PROGRAM" "$@" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'
}

# page COMMAND...: of it and those below it.
page() {
  local name wrapper subcommand
  name=$(basename "$PROGRAM")${*:+-$(tr ' ' '-' <<<"$*")}
  # help2man asks a program without arguments.
  wrapper=$WORK/$name
  printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$PROGRAM" "$*" >"$wrapper"
  chmod +x "$wrapper"
  help2man --no-info --section 1 --manual "Tollbridge" --source "Tollbridge $VERSION" \
    --version-string "$VERSION" --name "$("$PROGRAM" "$@" --help | sed -n '1s/\. .*//p; 1q')" \
    --output "$FOLDER/$name.1" "$wrapper"
  while read -r subcommand; do
    page "$@" "$subcommand"
  done < <(subcommands "$@")
}

mkdir -p "$FOLDER"
rm -f "$FOLDER"/*.1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
VERSION=$("$PROGRAM" --version | cut -d' ' -f2)
page
