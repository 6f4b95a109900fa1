# Sourced by ./dev: the jars of a real Kafka broker, for the tests and ./dev up.
# shellcheck shell=bash

export TOLLBRIDGE_KAFKA_LIBS="$ROOT/build/deps/kafka"

# fetch_kafka: copies the pinned jars to $TOLLBRIDGE_KAFKA_LIBS, once per version of the pom.xml.
fetch_kafka() {
  local pom="$ROOT/tests/support/kafka/pom.xml" stamp log="$SETUP_DIR/kafka.log"
  stamp=$(sha256sum <"$pom")
  [[ -e $TOLLBRIDGE_KAFKA_LIBS/.stamp && $(<"$TOLLBRIDGE_KAFKA_LIBS/.stamp") == "$stamp" ]] && return
  say "fetching Kafka"
  rm -rf "$TOLLBRIDGE_KAFKA_LIBS"
  mvn -q -B -f "$pom" dependency:copy-dependencies -DincludeScope=runtime \
    -DoutputDirectory="$TOLLBRIDGE_KAFKA_LIBS" >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "fetching Kafka failed (log: build/.setup/kafka.log)"
  }
  echo "$stamp" >"$TOLLBRIDGE_KAFKA_LIBS/.stamp"
}
