#!/usr/bin/env bash
# make-secrets.sh FOLDER [USER]: the secrets of an installation that talks to the sandbox, for the user of the
# images. Leaves alone what is there: with new keys the gateway could not read what it has kept.
set -euo pipefail

readonly FOLDER=$1 OWNER=${2:-65532}

# random BYTES: as base64.
random() { head -c "$1" /dev/urandom | base64 -w 0; }

# put NAME: standard input, as a file that only the images' user reads.
put() {
  if [[ -e $FOLDER/$1 ]]; then
    echo "$1 is there already"
    cat >/dev/null
    return
  fi
  (umask 077 && cat >"$FOLDER/$1.new")
  chown "$OWNER" "$FOLDER/$1.new"
  mv "$FOLDER/$1.new" "$FOLDER/$1"
}

mkdir -p "$FOLDER"
put fingerprint-keys <<<"f1 $(random 32)"
put outcome-keys <<<"o1 $(random 32)"
put webhook-tokens <<<"$(random 33 | tr '+/' '-_')"
# The sandbox's own test key.
put api-keys <<<sandbox-demo-key
