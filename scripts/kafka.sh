# Sourced by ./dev: the jars of a real Kafka broker, for the tests and ./dev up.
# shellcheck shell=bash

export TOLLBRIDGE_KAFKA_LIBS="$ROOT/build/deps/kafka"

# fetch_kafka: the pinned jars, into $TOLLBRIDGE_KAFKA_LIBS.
fetch_kafka() { fetch_jars "$TOLLBRIDGE_KAFKA_LIBS" tests/support/kafka Kafka; }

# fetch_jars TO FOLDER WHAT: the jars of FOLDER's pom.xml, and all that they ask for: those that its
# jars.sha256 lists and no others. Once for each content of both. Whoever changes a version makes the list anew,
# `sha256sum *.jar`, and looks at what has changed in it.
fetch_jars() {
  local to=$1 from="$ROOT/$2" what=$3 log stamp
  log="$SETUP_DIR/$(basename "$to").log"
  stamp=$(cat "$from/pom.xml" "$from/jars.sha256" | sha256sum)
  [[ ! -e $to/.stamp || $(<"$to/.stamp") != "$stamp" ]] || return 0
  say "fetching $what"
  rm -rf "$to"
  {
    mvn -q -B --strict-checksums -f "$from/pom.xml" dependency:copy-dependencies -DincludeScope=runtime \
      -DoutputDirectory="$to" && (cd "$to" && LC_ALL=C && sha256sum ./*.jar | sed 's|\./||' | diff "$from/jars.sha256" -)
  } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "fetching $what failed (log: ${log#"$ROOT"/})"
  }
  echo "$stamp" >"$to/.stamp"
}
