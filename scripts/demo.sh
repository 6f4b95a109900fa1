# Sourced by ./dev: ./dev demo and ./dev up. They start the stack, pay an order and show what happens.
# Functions that demo_wait is given look unreachable to shellcheck.
# shellcheck shell=bash disable=SC2317

# shellcheck source=scripts/demo_stack.sh
source scripts/demo_stack.sh

readonly DEMO_CARD='4111 1111 1111 1111, expiry 12/30, CVC 123'

demo_title() {
  if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    printf '\n\033[1m%s\033[0m\n' "$*"
  else
    printf '\n%s\n' "$*"
  fi
}

# demo_money AMOUNT CURRENCY: the demo's currency has two decimals.
demo_money() { printf '%d.%02d %s' $(($1 / 100)) $(($1 % 100)) "$2"; }

# Each event on stdin, a JSON object a line, as a line for people.
demo_event_lines() {
  local line time amount row='  %-12s  %-31s  %-36s  %-9s  %s\n'
  # shellcheck disable=SC2059
  printf "$row" time event order amount sequence
  while IFS= read -r line; do
    time=$(demo_field ce_time <<<"$line")
    time=${time#*T}
    time=${time:0:12}
    amount=$(demo_money "$(demo_field amount <<<"$line")" "$(demo_field currency <<<"$line")")
    # shellcheck disable=SC2059
    printf "$row" "$time" "$(demo_field ce_type <<<"$line")" "$(demo_field order_id <<<"$line")" \
      "$amount" "$(demo_field sequence <<<"$line")"
  done
}

# Pays one order and shows each thing that happens. Fails when one of them does not.
demo_pay_one_order() {
  local -r trace_id=$(openssl rand -hex 16) key="demo-$(openssl rand -hex 4)"
  local -r request="{\"idempotency_key\": \"$key\", \"amount\": 1250, \"currency\": \"EUR\"}"
  demo_title "1. An internal system creates an order over gRPC"
  printf '$ %s call --address %s Payments.CreateOrder \\\n    %s\n' "$SHOWN_BIN/tollbridge" "$GRPC_ADDR" "'$request'"
  local answer
  answer=$("$BIN/tollbridge" call Payments.CreateOrder "$request" --address "$GRPC_ADDR" \
    --traceparent "00-$trace_id-$(openssl rand -hex 8)-01" 2>"$DEMO_DIR/call.err") ||
    demo_fail "CreateOrder failed" call.err gateway.err
  local order_url order_id
  order_url=$(demo_field order_url <<<"$answer")
  order_id=$(demo_field id <<<"$answer")
  [ -n "$order_url" ] || die "the answer has no order_url: $answer"
  printf '%s\n' "$answer" >"$DEMO_DIR/answer.json"
  printf '  order %s is new: 12.50 EUR, to be paid at\n  %s\n  The whole answer: %s/answer.json\n' \
    "$order_id" "$order_url" "$SHOWN_DIR"

  demo_title "2. The customer pays on its page with the test card $DEMO_CARD"
  local card_page
  printf "$ curl -d method=credit-card '%s'\n" "$order_url"
  card_page=$(curl -sS --fail -o /dev/null -w '%{redirect_url}' -d method=credit-card "$order_url") ||
    die "the hosted page did not take the method"
  printf "$ curl -d pan=4111111111111111 -d expiry=12/30 -d cvc=123 \\\\\n    '%s'\n" "$card_page"
  curl -sS --fail -o /dev/null -d pan=4111111111111111 -d expiry=12/30 -d cvc=123 "$card_page" ||
    die "the hosted page did not take the card"

  demo_title "3. The payment service sends its webhook, and the gateway takes it"
  local delivery
  demo_webhook_came() {
    delivery=$(curl -sS --fail "$SANDBOX_URL/_sandbox/deliveries" 2>"$DEMO_DIR/deliveries.err" |
      tr '{' '\n' | grep "$order_id" | grep -m 1 '"result":"200"')
  }
  demo_wait 15 "the webhook" deliveries.err demo_webhook_came
  local time
  time=$(demo_field at <<<"$delivery")
  time=${time#*T}
  printf '  %s  POST %s/webhooks/TOKEN, answered 200\n' "${time:0:12}" \
    "$(demo_field url_origin <<<"$delivery")"

  demo_title "4. The domain events arrive on Kafka"
  # In the background, so that the end of another process is seen.
  demo_spawn '' events.json events.err "$BIN/tollbridge" events tail --config "$DEMO_DIR/tollbridge.yaml" \
    --order "$order_id" --until tollbridge.payment.completed.v1 --from-beginning --timeout 30
  demo_tail_has_ended() { ! kill -0 "$DEMO_PID" 2>/dev/null; }
  demo_wait 35 "the event" events.err demo_tail_has_ended
  wait "$DEMO_PID" || demo_fail "the event tollbridge.payment.completed.v1 did not come" events.err gateway.err
  demo_forget_last
  demo_event_lines <"$DEMO_DIR/events.json"
  grep -q "origin_traceparent.*$trace_id" "$DEMO_DIR/events.json" ||
    die "the event does not carry the trace of the call"
  printf '  As JSON, with the trace of the call (%s): %s/events.json\n' "$trace_id" "$SHOWN_DIR"
}

demo_try_next() {
  demo_title "It stays up; Ctrl-C stops everything. The addresses are in $SHOWN_DIR/addresses.env:"
  cat <<TEXT
  gRPC $GRPC_ADDR   Kafka $KAFKA_BROKERS   Redis $REDIS_ADDR
  webhooks ${WEBHOOK_URL%/webhooks/*}/webhooks/TOKEN   metrics $METRICS_URL
  sandbox $SANDBOX_URL   its merchant page, with all test cards: $SANDBOX_URL/_sandbox/
TEXT
  [ -z "${PROMETHEUS_URL:-}" ] || echo "  Prometheus $PROMETHEUS_URL   Alertmanager $ALERTMANAGER_URL"
  [ -z "${LOAD_LOG:-}" ] || echo "  20 orders a second of all kinds: $LOAD_LOG says each minute what became of them"
  demo_title "Try, in another shell, in this folder:"
  cat <<TEXT
$SHOWN_BIN/tollbridge call --address $GRPC_ADDR Payments.CreateOrder \\
  '{"idempotency_key": "k-1", "amount": 990, "currency": "EUR"}'
# Again: the same answer, no second order. Open its order_url in a browser, pay with the test card
# $DEMO_CARD, and see the events:
$SHOWN_BIN/tollbridge events tail --config $SHOWN_DIR/tollbridge.yaml --from-beginning
curl -s $METRICS_URL | grep '^tollbridge_events_published_total.* [1-9]'
TEXT
}

# demo_main NAME KAFKA [--once | --load [--minutes N | --orders N]]: KAFKA is "embedded" or "real".
demo_main() {
  local -r name=$1 kafka=$2
  local once='' load=''
  case ${3:-} in
    --once) once=yes ;;
    --load) load=yes ;;
  esac
  local -r bound=("${@:4}")
  BIN=${TOLLBRIDGE_BIN:-$ROOT/build/dev/bin}
  SHOWN_BIN=$(printf '%q' "${BIN#"$ROOT"/}")
  demo_take_folder "$name"
  trap demo_stop EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM

  if [ "$kafka" = real ]; then
    say "starting Redis, Kafka, the sandbox, the gateway, Prometheus and Alertmanager in $SHOWN_DIR"
    demo_start_redis
    demo_start_kafka
    demo_start_sandbox
  else
    say "starting Redis, the sandbox with a Kafka broker in it, and the gateway in $SHOWN_DIR"
    demo_start_embedded
  fi
  demo_write_secrets
  demo_write_config
  [ "$kafka" != real ] || demo_prepare topics.log topics create
  demo_prepare init-store.log init-store --first-installation
  demo_start_gateway
  if [ "$kafka" = real ]; then
    demo_start_alertmanager
    demo_start_prometheus
  fi
  demo_write_addresses
  demo_pay_one_order
  [ -z "$once" ] || return 0
  if [ ${#bound[@]} -gt 0 ]; then
    demo_judge_load "${bound[@]}"
    return 0
  fi
  [ -z "$load" ] || demo_start_load
  demo_try_next
  # Until one of them ends, which none should.
  wait -n "${DEMO_PIDS[@]}" || true
  demo_check_alive
  die "a process has ended"
}

# demo_build: the two programs, unless TOLLBRIDGE_BIN names a folder that has them. One at a time: two
# builds in one folder would write the same files.
demo_build() {
  [ -z "${TOLLBRIDGE_BIN:-}" ] || return 0
  exec {demo_build_lock}>"$SETUP_DIR/demo-build.lock"
  flock "$demo_build_lock"
  configure dev product
  compile dev tollbridge tollbridge-sandbox
  exec {demo_build_lock}>&-
}

# demo_takes NAME [ARGUMENTS]: ends the script when the arguments are others than a demo takes.
demo_takes() {
  case "$1 ${*:2}" in
    "$1 " | "$1 --once" | 'up --load') ;;
    'up --load --minutes '[1-9] | 'up --load --minutes '[1-9][0-9] | 'up --load --minutes '[1-9][0-9][0-9]) ;;
    'up --load --orders '[1-9] | 'up --load --orders '[1-9][0-9] | 'up --load --orders '[1-9][0-9][0-9]) ;;
    'up '*) die "usage: ./dev up [--once | --load [--minutes N | --orders N]], N below 1000; not: ${*:2}" ;;
    *) die "usage: ./dev $1 [--once]; not: ${*:2}" ;;
  esac
}

demo_command() {
  demo_takes demo "$@"
  setup_group build
  demo_build
  demo_main demo embedded "$@"
}

up_command() {
  demo_takes up "$@"
  setup_group build test
  fetch_kafka
  [ "${1:-}" != --load ] || fetch_python
  demo_build
  demo_main up real "$@"
}
