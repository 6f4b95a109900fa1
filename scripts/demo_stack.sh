# Sourced by scripts/demo.sh: the processes of the demo and of the full stack. Everything runs on free
# loopback ports, keeps its files in one folder below build/ and ends with the script.
# Functions that demo_wait and demo_listen are given look unreachable to shellcheck.
# shellcheck shell=bash disable=SC2317

# What was started: process, name and logs (relative to DEMO_DIR), by the same index. One without a
# name may end whenever it likes.
DEMO_PIDS=() DEMO_NAMES=() DEMO_LOGS=()
# Seconds that one of them has to stop.
readonly DEMO_STOP_LIMIT=30

# demo_take_folder NAME: sets DEMO_DIR to build/NAME or, when another script has that, to build/NAME-2
# and so on; SHOWN_DIR is its path from the checkout's root. The lock goes with this script, whatever
# ends it.
demo_take_folder() {
  local number=1
  while :; do
    DEMO_DIR=$ROOT/build/$1
    [ $number -eq 1 ] || DEMO_DIR+=-$number
    SHOWN_DIR=${DEMO_DIR#"$ROOT"/}
    mkdir -p "$DEMO_DIR"
    exec {DEMO_LOCK}>"$DEMO_DIR/.lock"
    ! flock -n "$DEMO_LOCK" || break
    exec {DEMO_LOCK}>&-
    say "$SHOWN_DIR is taken by one that runs"
    number=$((number + 1))
  done
  demo_forget_addresses
  rm -rf "$DEMO_DIR"/*.log "$DEMO_DIR"/*.err "$DEMO_DIR"/{answer,events}.json "$DEMO_DIR"/metrics.txt \
    "$DEMO_DIR"/{prometheus,alertmanager}
}

# Removes what names addresses where soon nobody, or somebody else, will listen.
demo_forget_addresses() {
  rm -rf "$DEMO_DIR"/{addresses.env,tollbridge.yaml,sandbox.json,prometheus.yml,kafka}
}

# demo_spawn NAME OUT ERR COMMAND...: starts it with its output in two files of DEMO_DIR, or one. It is
# killed when this script dies without a word. It has a group of its own, so that Ctrl-C reaches only this
# script, which stops them in order; what runs in the foreground has none, or it would take Ctrl-C away
# from the script. Sets DEMO_PID.
demo_spawn() {
  local -r name=$1 out=$2 err=$3
  shift 3
  set -m
  setpriv --pdeathsig KILL -- "$@" >>"$DEMO_DIR/$out" 2>>"$DEMO_DIR/$err" {DEMO_LOCK}>&- &
  DEMO_PID=$!
  set +m
  DEMO_PIDS+=("$DEMO_PID")
  DEMO_NAMES+=("$name")
  if [ "$out" = "$err" ]; then DEMO_LOGS+=("$out"); else DEMO_LOGS+=("$err $out"); fi
}

# Forgets what was spawned last, which has ended.
demo_forget_last() {
  local -r last=$((${#DEMO_PIDS[@]} - 1))
  unset "DEMO_PIDS[$last]" "DEMO_NAMES[$last]" "DEMO_LOGS[$last]"
}

# Not to be interrupted, so that nothing stays behind; whatever hangs is killed.
demo_stop() {
  local i pid end
  trap '' HUP INT TERM
  rm -f "$DEMO_DIR/addresses.env"
  # Last started, first stopped: the gateway must still reach Redis and Kafka while it drains.
  for ((i = ${#DEMO_PIDS[@]} - 1; i >= 0; i--)); do
    pid=${DEMO_PIDS[$i]}
    kill "$pid" 2>/dev/null || continue
    end=$((SECONDS + DEMO_STOP_LIMIT))
    while kill -0 "$pid" 2>/dev/null && [ "$SECONDS" -lt "$end" ]; do sleep 0.05; done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  DEMO_PIDS=()
  demo_forget_addresses
}

# demo_fail WHAT LOG...: ends the script with what did not come and the ends of the logs that say
# something.
demo_fail() {
  local log
  say "$1"
  shift
  for log in "$@"; do
    [ -s "$DEMO_DIR/$log" ] || continue
    say "the end of $SHOWN_DIR/$log:"
    tail -n 8 "$DEMO_DIR/$log" | cut -c1-1000 | sed 's/^/  /' >&2
  done
  exit 1
}

# Ends the script when one of the processes has ended.
demo_check_alive() {
  local i
  for i in "${!DEMO_PIDS[@]}"; do
    if [ -n "${DEMO_NAMES[$i]}" ] && ! kill -0 "${DEMO_PIDS[$i]}" 2>/dev/null; then
      # shellcheck disable=SC2086
      demo_fail "${DEMO_NAMES[$i]} has ended${1:+: $1 did not come}" ${DEMO_LOGS[$i]}
    fi
  done
}

# demo_wait SECONDS WHAT LOG COMMAND...: until the command succeeds. Ends the script at the limit, and
# when a process that was started has ended.
demo_wait() {
  local -r seconds=$1 what=$2 log=$3 limit=$(($(date +%s) + $1))
  shift 3
  until "$@"; do
    demo_check_alive "$what"
    [ "$(date +%s)" -lt "$limit" ] || demo_fail "$what did not come within $seconds s" "$log"
    sleep 0.05
  done
}

# demo_listen SECONDS NAME LOG START READY: runs START, which takes ports and spawns one process with
# that log, and waits until READY succeeds. Again with other ports when one was taken meanwhile.
demo_listen() {
  local -r seconds=$1 name=$2 log=$3 start=$4 ready=$5
  local attempt limit
  for attempt in {1..10}; do
    : >"$DEMO_DIR/$log"
    "$start"
    limit=$(($(date +%s) + seconds))
    until "$ready"; do
      if ! kill -0 "$DEMO_PID" 2>/dev/null; then
        grep -qi 'address already in use' "$DEMO_DIR/$log" || demo_fail "$name did not start" "$log"
        say "$name found its port taken; trying another one"
        demo_forget_last
        continue 2
      fi
      [ "$(date +%s)" -lt "$limit" ] || demo_fail "$name did not get ready within $seconds s" "$log"
      sleep 0.05
    done
    return 0
  done
  demo_fail "$name found its port taken $attempt times" "$log"
}

# A port that nothing listens on, below those that the kernel gives to outgoing connections. Whoever
# takes it must cope with losing it in between.
demo_free_port() {
  local port first=10000 last
  read -r last _ </proc/sys/net/ipv4/ip_local_port_range
  [ "$last" -gt $((first + 1000)) ] || last=60000
  while :; do
    port=$((first + (RANDOM * 32768 + RANDOM) % (last - first)))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

# The first value of a string field in JSON on stdin.
demo_field() { grep -oE "\"$1\": ?\"[^\"]*\"" | head -n 1 | sed -E 's/^"[^"]*": ?"(.*)"$/\1/'; }

# Sets REDIS_ADDR.
demo_start_redis() {
  demo_spawn_redis() {
    REDIS_ADDR="127.0.0.1:$(demo_free_port)"
    demo_spawn redis-server redis.log redis.log redis-server --bind 127.0.0.1 \
      --port "${REDIS_ADDR##*:}" --save '' --appendonly no --maxmemory 256mb --maxmemory-policy noeviction \
      --dir "$DEMO_DIR"
  }
  demo_redis_is_up() { grep -q 'Ready to accept connections' "$DEMO_DIR/redis.log"; }
  demo_listen 15 redis-server redis.log demo_spawn_redis demo_redis_is_up
}

# demo_start_sandbox [further arguments]; sets SANDBOX_URL, and KAFKA_BROKERS where it runs a broker.
# The seed makes its ids other ones in each run: a consumer that outlives a run has not seen them.
demo_start_sandbox() {
  local seed
  seed=$(od -An -N8 -tu8 /dev/urandom)
  demo_spawn "the sandbox" sandbox.json sandbox.log \
    "$BIN/tollbridge-sandbox" --listen 127.0.0.1:0 --seed "${seed// /}" "$@"
  demo_wait 10 "the sandbox" sandbox.log grep -qs base_url "$DEMO_DIR/sandbox.json"
  SANDBOX_URL=$(demo_field base_url <"$DEMO_DIR/sandbox.json")
  VAULT_URL=$(demo_field vault_url <"$DEMO_DIR/sandbox.json")
  WALLET_TOKEN_URL=$(demo_field wallet_token_url <"$DEMO_DIR/sandbox.json")
}

# Redis, and the sandbox with a broker in it.
demo_start_embedded() {
  demo_start_redis
  demo_start_sandbox --kafka --kafka-topic tollbridge.hints.v1:4 \
    --kafka-topic tollbridge.events.v1:4 --kafka-topic tollbridge.hints.dlq.v1:1 \
    --kafka-topic tollbridge.operations.v1:1
  KAFKA_BROKERS=$(demo_field kafka_brokers <"$DEMO_DIR/sandbox.json")
}

demo_write_secrets() {
  local -r dir=$DEMO_DIR/secrets
  mkdir -p "$dir"
  chmod 700 "$dir"
  # The sandbox's own test key, and keys that live as long as this folder.
  echo sandbox-demo-key >"$dir/api-keys"
  [ -s "$dir/webhook-tokens" ] || openssl rand -hex 32 >"$dir/webhook-tokens"
  [ -s "$dir/fingerprint-keys" ] || echo "f1 $(openssl rand -base64 32)" >"$dir/fingerprint-keys"
  [ -s "$dir/outcome-keys" ] || echo "o1 $(openssl rand -base64 32)" >"$dir/outcome-keys"
}

demo_write_config() {
  cat >"$DEMO_DIR/tollbridge.yaml" <<YAML
process:
  environment: development
  drain_delay: 0s
rpc:
  listen: 127.0.0.1:0
webhooks:
  listen: 127.0.0.1:0
  public_url: bound-address
metrics:
  listen: 127.0.0.1:0
payment_service:
  base_url: $SANDBOX_URL
  vault_url: $VAULT_URL
  wallet_token_url: $WALLET_TOKEN_URL
  extensions: [create_refund, partial_capture, partial_void, create_payment_link, list_currencies]
redis:
  address: $REDIS_ADDR
kafka:
  brokers: ["$KAFKA_BROKERS"]
  partitions: 4
  replication: 1
operations:
  fingerprint_keys_file: $DEMO_DIR/secrets/fingerprint-keys
  outcome_keys_file: $DEMO_DIR/secrets/outcome-keys
projects:
  - name: demo
    id: 11111111-1111-4111-8111-111111111111
    test: true
    api_key_file: $DEMO_DIR/secrets/api-keys
    webhook_tokens_file: $DEMO_DIR/secrets/webhook-tokens
YAML
}

# demo_prepare LOG ARGUMENTS...: runs a command of tollbridge that must succeed before the gateway
# starts.
demo_prepare() {
  local -r log=$1
  shift
  "$BIN/tollbridge" "$@" --config "$DEMO_DIR/tollbridge.yaml" >"$DEMO_DIR/$log" 2>&1 ||
    demo_fail "tollbridge $* failed" "$log"
}

# Sets GRPC_ADDR, WEBHOOK_URL, METRICS_URL.
demo_start_gateway() {
  demo_spawn "the gateway" gateway.log gateway.err \
    "$BIN/tollbridge" serve --config "$DEMO_DIR/tollbridge.yaml"
  demo_wait 15 "the gateway" gateway.log grep -qs '"event":"serving"' "$DEMO_DIR/gateway.log"
  local line
  line=$(grep -m 1 '"event":"serving"' "$DEMO_DIR/gateway.log")
  GRPC_ADDR=$(demo_field grpc <<<"$line")
  WEBHOOK_URL="http://$(demo_field webhooks <<<"$line")/webhooks/$(head -n 1 "$DEMO_DIR/secrets/webhook-tokens")"
  METRICS_URL="http://$(demo_field metrics <<<"$line")/metrics"
}

# One KRaft node on the jars that the tests use; sets KAFKA_BROKERS.
demo_start_kafka() {
  demo_spawn_kafka() {
    local -r dir=$DEMO_DIR/kafka classpath="$TOLLBRIDGE_KAFKA_LIBS/*"
    local port controller
    port=$(demo_free_port)
    controller=$(demo_free_port)
    KAFKA_BROKERS="127.0.0.1:$port"
    rm -rf "$dir"
    mkdir -p "$dir"
    cat >"$dir/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
log.dirs=$dir/data
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
PROPERTIES
    java -cp "$classpath" kafka.tools.StorageTool format --cluster-id tollbridge-demo \
      -c "$dir/server.properties" >>"$DEMO_DIR/kafka.log" 2>&1 ||
      demo_fail "Kafka's storage cannot be formatted" kafka.log
    demo_spawn Kafka kafka.log kafka.log java -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
      -cp "$classpath" kafka.Kafka "$dir/server.properties"
  }
  demo_kafka_is_up() { grep -q 'Kafka Server started' "$DEMO_DIR/kafka.log"; }
  demo_listen 120 Kafka kafka.log demo_spawn_kafka demo_kafka_is_up
}

# Takes the alerts of Prometheus, as deploy/observability has it; its receivers are nobody. Sets ALERTMANAGER_URL.
demo_start_alertmanager() {
  demo_spawn_alertmanager() {
    ALERTMANAGER_URL="http://127.0.0.1:$(demo_free_port)"
    demo_spawn Alertmanager alertmanager.log alertmanager.log prometheus-alertmanager \
      --config.file="$ROOT/deploy/observability/alertmanager.yaml" --storage.path="$DEMO_DIR/alertmanager" \
      --web.listen-address="${ALERTMANAGER_URL#http://}" --cluster.listen-address=
  }
  demo_alertmanager_is_up() {
    grep -q 'Listening on' "$DEMO_DIR/alertmanager.log" &&
      curl -sS --fail -o /dev/null "$ALERTMANAGER_URL/-/ready" 2>/dev/null
  }
  demo_listen 20 Alertmanager alertmanager.log demo_spawn_alertmanager demo_alertmanager_is_up
}

# demo_start_load [--minutes N | --orders N]: orders of all kinds until the script ends, or until there were enough;
# sets LOAD_LOG.
demo_start_load() {
  # shellcheck disable=SC2034  # demo.sh shows it
  LOAD_LOG=$SHOWN_DIR/load.log
  local name="the load"
  # It may end then.
  [ $# -eq 0 ] || name=''
  demo_spawn "$name" load.log load.err "$TOLLBRIDGE_PYTHON" "$ROOT/scripts/load.py" \
    --examples "$ROOT/examples/python" --gateway "$GRPC_ADDR" --sandbox "$SANDBOX_URL" "$@"
  demo_wait 30 "the load" load.err grep -qs '"orders"' "$DEMO_DIR/load.log"
}

# demo_judge_load BOUND...: makes the load that the bound ends, and tells what came of it and which alerts fired
# meanwhile. Fails when an order failed, or one of the alerts was a page.
demo_judge_load() {
  local -r began=$SECONDS
  local rc=0
  demo_start_load "$@"
  while kill -0 "$DEMO_PID" 2>/dev/null; do
    demo_check_alive "the end of the load"
    sleep 0.5
  done
  wait "$DEMO_PID" || rc=$?
  demo_forget_last
  curl -sS --fail "$METRICS_URL" >"$DEMO_DIR/metrics.txt" || die "the gateway does not show its metrics"
  say "the load: $(tail -n 1 "$DEMO_DIR/load.log")"
  # A second more than it took: what SECONDS has cut off.
  "$TOLLBRIDGE_PYTHON" "$ROOT/scripts/pages.py" --prometheus "$PROMETHEUS_URL" --seconds $((SECONDS - began + 1)) ||
    die "a page fired, or nobody looked"
  [ "$rc" -eq 0 ] || demo_fail "orders failed, or the load did" load.err
}

# Scrapes the gateway and tells Alertmanager; sets PROMETHEUS_URL.
demo_start_prometheus() {
  local target=${METRICS_URL#http://}
  cat >"$DEMO_DIR/prometheus.yml" <<YAML
global:
  scrape_interval: 5s
  evaluation_interval: 5s
rule_files: ["$ROOT/deploy/observability/rules/tollbridge.yaml"]
alerting:
  alertmanagers:
    - static_configs:
        - targets: ["${ALERTMANAGER_URL#http://}"]
scrape_configs:
  - job_name: tollbridge
    static_configs:
      - targets: ["${target%/metrics}"]
YAML
  demo_spawn_prometheus() {
    PROMETHEUS_URL="http://127.0.0.1:$(demo_free_port)"
    demo_spawn Prometheus prometheus.log prometheus.log prometheus \
      --config.file="$DEMO_DIR/prometheus.yml" --storage.tsdb.path="$DEMO_DIR/prometheus" \
      --web.listen-address="${PROMETHEUS_URL#http://}"
  }
  # Another process on the port would answer too, but not while ours lives: it ends without its port.
  demo_prometheus_is_up() {
    grep -qi 'ready to receive web requests' "$DEMO_DIR/prometheus.log" &&
      curl -sS --fail -o /dev/null "$PROMETHEUS_URL/-/ready" 2>/dev/null
  }
  demo_listen 20 Prometheus prometheus.log demo_spawn_prometheus demo_prometheus_is_up
}

demo_write_addresses() {
  cat >"$DEMO_DIR/addresses.env" <<ENV
GRPC_ADDR=$GRPC_ADDR
SANDBOX_URL=$SANDBOX_URL
WEBHOOK_URL=$WEBHOOK_URL
METRICS_URL=$METRICS_URL
KAFKA_BROKERS=$KAFKA_BROKERS
REDIS_ADDR=$REDIS_ADDR
ENV
  [ -z "${PROMETHEUS_URL:-}" ] ||
    printf '%s\n' "PROMETHEUS_URL=$PROMETHEUS_URL" "ALERTMANAGER_URL=$ALERTMANAGER_URL" >>"$DEMO_DIR/addresses.env"
}
