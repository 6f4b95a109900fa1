# Sourced by ./dev: the demo and the full stack. Everything runs on free loopback ports, keeps its
# files in one folder below build/ and is stopped when the script ends.
# Functions that demo_wait calls look unreachable to shellcheck.
# shellcheck shell=bash disable=SC2317

DEMO_PIDS=()

demo_stop() {
  local pid
  # Last started, first stopped: the gateway must still reach Redis and Kafka while it drains.
  for ((i = ${#DEMO_PIDS[@]} - 1; i >= 0; i--)); do
    pid=${DEMO_PIDS[$i]}
    kill "$pid" 2>/dev/null || continue
    wait "$pid" 2>/dev/null || true
  done
  DEMO_PIDS=()
}

# demo_wait SECONDS WHAT COMMAND...: until the command succeeds.
demo_wait() {
  local -r limit=$(($(date +%s) + $1)) what=$2
  shift 2
  until "$@"; do
    [ "$(date +%s)" -lt "$limit" ] || die "$what did not come in time; see $DEMO_DIR"
    sleep 0.05
  done
}

demo_title() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# A port that nothing listens on. Whoever takes it must cope with losing it in between.
demo_free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 30000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

demo_start_redis() {
  local attempt
  for attempt in 1 2 3 4 5; do
    REDIS_ADDR="127.0.0.1:$(demo_free_port)"
    redis-server --bind 127.0.0.1 --port "${REDIS_ADDR##*:}" --save '' --appendonly no \
      --maxmemory-policy noeviction --dir "$DEMO_DIR" >"$DEMO_DIR/redis.log" 2>&1 &
    local pid=$!
    DEMO_PIDS+=("$pid")
    while kill -0 "$pid" 2>/dev/null; do
      grep -q 'Ready to accept connections' "$DEMO_DIR/redis.log" && return
      sleep 0.02
    done
    say "redis-server did not start (attempt $attempt)"
  done
  die "redis-server does not start; see $DEMO_DIR/redis.log"
}

# demo_start_sandbox [further arguments]; sets SANDBOX_URL, and KAFKA_BROKERS where it runs a broker.
demo_start_sandbox() {
  # A file left by an earlier run must not look like this one's answer.
  rm -f "$DEMO_DIR/sandbox.json"
  "$BIN/tollbridge-sandbox" --listen 127.0.0.1:0 "$@" \
    >"$DEMO_DIR/sandbox.json" 2>"$DEMO_DIR/sandbox.log" &
  DEMO_PIDS+=($!)
  demo_wait 10 "the sandbox" grep -qs base_url "$DEMO_DIR/sandbox.json"
  SANDBOX_URL=$(demo_field base_url <"$DEMO_DIR/sandbox.json")
  VAULT_URL=$(demo_field vault_url <"$DEMO_DIR/sandbox.json")
  WALLET_TOKEN_URL=$(demo_field wallet_token_url <"$DEMO_DIR/sandbox.json")
}

# The first value of a string field in JSON on stdin.
demo_field() { grep -oE "\"$1\": ?\"[^\"]*\"" | head -n 1 | sed -E 's/^"[^"]*": ?"(.*)"$/\1/'; }

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

# Sets GRPC_ADDR, WEBHOOK_URL, METRICS_URL.
demo_start_gateway() {
  "$BIN/tollbridge" serve --config "$DEMO_DIR/tollbridge.yaml" \
    >"$DEMO_DIR/gateway.log" 2>"$DEMO_DIR/gateway.err" &
  local -r pid=$!
  DEMO_PIDS+=("$pid")
  demo_gateway_is_up() {
    kill -0 "$pid" 2>/dev/null || die "the gateway ended; see $DEMO_DIR/gateway.log and .err"
    grep -qs '"event":"serving"' "$DEMO_DIR/gateway.log"
  }
  demo_wait 15 "the gateway" demo_gateway_is_up
  local line
  line=$(grep '"event":"serving"' "$DEMO_DIR/gateway.log" | head -n 1)
  GRPC_ADDR=$(demo_field grpc <<<"$line")
  WEBHOOK_URL="http://$(demo_field webhooks <<<"$line")/webhooks/$(head -n 1 "$DEMO_DIR/secrets/webhook-tokens")"
  METRICS_URL="http://$(demo_field metrics <<<"$line")/metrics"
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
}

# Pays one order and shows each thing that happens. Fails when one of them does not.
demo_pay_one_order() {
  local -r trace_id=$(openssl rand -hex 16) key="demo-$(openssl rand -hex 4)"
  demo_title "1. An internal system creates an order over gRPC (trace $trace_id)"
  local -r request="{\"idempotency_key\": \"$key\", \"amount\": 1250, \"currency\": \"EUR\", \"merchant_order_id\": \"$key\", \"description\": \"one coffee grinder\"}"
  printf '$ tollbridge call Payments.CreateOrder %s\n' "'$request'"
  local answer
  answer=$("$BIN/tollbridge" call Payments.CreateOrder "$request" --address "$GRPC_ADDR" \
    --traceparent "00-$trace_id-$(openssl rand -hex 8)-01") || die "CreateOrder failed"
  printf '%s\n' "$answer"
  local order_url order_id
  order_url=$(demo_field order_url <<<"$answer")
  order_id=$(demo_field id <<<"$answer")
  [ -n "$order_url" ] || die "the answer has no order_url"

  "$BIN/tollbridge" events tail --config "$DEMO_DIR/tollbridge.yaml" --order "$order_id" \
    --until tollbridge.payment.completed.v1 --from-beginning --timeout 30 >"$DEMO_DIR/events.log" 2>&1 &
  local -r tail_pid=$!
  DEMO_PIDS+=("$tail_pid")

  demo_title "2. The customer pays on the hosted page"
  local card_page
  printf '$ curl -d method=credit-card %s\n' "$order_url"
  card_page=$(curl -sS --fail -o /dev/null -w '%{redirect_url}' -d method=credit-card "$order_url") ||
    die "the hosted page did not take the method"
  printf '$ curl -d pan=4111111111111111 -d expiry=12/30 -d cvc=123 %s\n' "$card_page"
  curl -sS --fail -o /dev/null -w 'HTTP %{http_code}, on to the result page\n' \
    -d pan=4111111111111111 -d expiry=12/30 -d cvc=123 "$card_page" ||
    die "the hosted page did not take the card"

  demo_title "3. The payment service sends its webhook, and the gateway takes it"
  demo_webhook_came() {
    curl -sS --fail "$SANDBOX_URL/_sandbox/deliveries" | tr '{' '\n' | grep "$order_id" |
      grep '"result":"200"' >"$DEMO_DIR/webhooks.log"
  }
  demo_wait 15 "the webhook" demo_webhook_came
  sed -E 's/^/{/; s/[],]+$//' "$DEMO_DIR/webhooks.log"

  demo_title "4. The domain events arrive on Kafka"
  wait "$tail_pid" || die "the event did not come; see $DEMO_DIR/events.log"
  cat "$DEMO_DIR/events.log"
  grep -q "origin_traceparent.*$trace_id" "$DEMO_DIR/events.log" ||
    die "the event does not carry the trace of the call"
  printf '\npaid: order %s, event tollbridge.payment.completed.v1, from trace %s\n' "$order_id" "$trace_id"
}

demo_try_next() {
  demo_title "It stays up. Addresses are in ${DEMO_DIR#"$ROOT"/}/addresses.env. Try:"
  cat <<TEXT
  $BIN/tollbridge call --address $GRPC_ADDR Payments.CreateOrder '{"idempotency_key": "k-1", "amount": 990, "currency": "EUR"}'
      (then open its order_url in a browser and pay; call it again: the same answer, no second order)
  $BIN/tollbridge events tail --config $DEMO_DIR/tollbridge.yaml --from-beginning
  curl -s $METRICS_URL | grep tollbridge_events_published_total
Ctrl-C stops everything.
TEXT
}

# One KRaft node on the jars that the tests use; sets KAFKA_BROKERS.
demo_start_kafka() {
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
  java -cp "$classpath" kafka.tools.StorageTool format -t "$(openssl rand -base64 16 | tr '+/' '-_' | tr -d '=')" \
    -c "$dir/server.properties" >"$DEMO_DIR/kafka.log" 2>&1 || die "Kafka's storage cannot be formatted"
  java -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$classpath" \
    kafka.Kafka "$dir/server.properties" >>"$DEMO_DIR/kafka.log" 2>&1 &
  DEMO_PIDS+=($!)
  demo_wait 30 "Kafka" grep -qs 'Kafka Server started' "$DEMO_DIR/kafka.log"
}

# Scrapes the gateway; sets PROMETHEUS_URL.
demo_start_prometheus() {
  local target=${METRICS_URL#http://}
  PROMETHEUS_URL="http://127.0.0.1:$(demo_free_port)"
  cat >"$DEMO_DIR/prometheus.yml" <<YAML
global:
  scrape_interval: 5s
scrape_configs:
  - job_name: tollbridge
    static_configs:
      - targets: ["${target%/metrics}"]
YAML
  prometheus --config.file="$DEMO_DIR/prometheus.yml" --storage.tsdb.path="$DEMO_DIR/prometheus" \
    --web.listen-address="${PROMETHEUS_URL#http://}" >"$DEMO_DIR/prometheus.log" 2>&1 &
  DEMO_PIDS+=($!)
  demo_wait 20 "Prometheus" curl -sS --fail -o /dev/null "$PROMETHEUS_URL/-/ready" 2>/dev/null
}

# demo_main NAME KAFKA [--once]: KAFKA is "embedded" or "real".
demo_main() {
  local -r name=$1 kafka=$2 once=${3:-}
  DEMO_DIR=$ROOT/build/$name
  BIN=${TOLLBRIDGE_BIN:-$ROOT/build/dev/bin}
  mkdir -p "$DEMO_DIR"
  rm -f "$DEMO_DIR"/addresses.env "$DEMO_DIR"/*.log
  # Each process gets a group of its own, so that Ctrl-C reaches only this script, which stops them in
  # order.
  set -m
  trap demo_stop EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM

  demo_start_redis
  if [ "$kafka" = real ]; then
    demo_start_kafka
    demo_start_sandbox
  else
    demo_start_sandbox --kafka --kafka-topic tollbridge.hints.v1:4 \
      --kafka-topic tollbridge.events.v1:4 --kafka-topic tollbridge.hints.dlq.v1:1 \
      --kafka-topic tollbridge.operations.v1:1
    KAFKA_BROKERS=$(demo_field kafka_brokers <"$DEMO_DIR/sandbox.json")
  fi
  demo_write_secrets
  demo_write_config
  "$BIN/tollbridge" init-store --config "$DEMO_DIR/tollbridge.yaml"
  [ "$kafka" != real ] || "$BIN/tollbridge" topics create --config "$DEMO_DIR/tollbridge.yaml"
  demo_start_gateway
  demo_write_addresses
  if [ "$kafka" = real ]; then
    demo_start_prometheus
    echo "PROMETHEUS_URL=$PROMETHEUS_URL" >>"$DEMO_DIR/addresses.env"
  fi
  demo_pay_one_order
  [ -z "$once" ] || return 0
  demo_try_next
  wait "${DEMO_PIDS[@]}"
}

demo_command() {
  [ $# -eq 0 ] || [ "$*" = --once ] || die "./dev demo takes --once or nothing"
  setup_group build
  configure dev product
  compile dev tollbridge tollbridge-sandbox
  demo_main demo embedded "$@"
}

up_command() {
  [ $# -eq 0 ] || [ "$*" = --once ] || die "./dev up takes --once or nothing"
  setup_group build test up
  fetch_kafka
  configure dev product
  compile dev tollbridge tollbridge-sandbox
  demo_main up real "$@"
}
