#!/usr/bin/env bash
# Walks through each flow of the payment service's interface with nothing but curl, against a
# running sandbox:
#
#   tollbridge-sandbox --listen 127.0.0.1:8080 &
#   examples/sandbox-walk.sh http://127.0.0.1:8080
#
# Each line shows a request, the status it was answered with, and what came of it. The script ends
# with 1 at the first answer that is not the expected one. It moves the sandbox's clock ahead.
set -euo pipefail

BASE=${1:-http://127.0.0.1:8080}
KEY=${SANDBOX_KEY:-sandbox-demo-key}
PROJECT=11111111-1111-4111-8111-111111111111
APPROVED=4111111111111111
DECLINED=4000000000000002
CHALLENGE=4000000000003220
BODY=''
STATUS=''
LOCATION=''

flow() { printf '\n== %s\n' "$*"; }
die() {
  printf 'FAILED: %s\n%s\n' "$*" "$BODY" >&2
  exit 1
}

# send STATUS METHOD PATH [curl arguments]: sends, and sets BODY and LOCATION.
send() {
  local expected=$1 method=$2 path=$3 answer
  shift 3
  answer=$(curl -sS -X "$method" "$@" -w '\n%{http_code} %{redirect_url}' "$BASE$path")
  BODY=${answer%$'\n'*}
  read -r STATUS LOCATION <<<"${answer##*$'\n'}"
  printf '%-4s %s -> %s\n' "$method" "${path%%\?*}" "$STATUS"
  [[ $STATUS == "$expected" ]] || die "$method $path was answered $STATUS, not $expected"
}

# As the merchant's server: the API key is the user name, the password is empty.
get() { send "$1" GET "$2" -u "$KEY:"; }
post() { send "$1" POST "$2" -u "$KEY:" -H 'Content-Type: application/json' -d "${3:-}"; }
# As the customer's browser on a page of the service.
submit() {
  local expected=$1 path=$2 field arguments=()
  shift 2
  for field in "$@"; do arguments+=(--data-urlencode "$field"); done
  send "$expected" POST "$path" "${arguments[@]}"
}
# As the wallet's script in the shop's page: no credentials.
post_open() { send "$1" POST "$2" -H 'Content-Type: application/json' -d "$3"; }
# As the operator of the sandbox.
operate() { send 200 POST "/_sandbox/$1" -H 'Content-Type: application/json' -d "${2:-}"; }

# value NAME: the first string of that name in BODY.
value() { grep -oE "\"$1\":\"[^\"]*\"" <<<"$BODY" | head -n 1 | cut -d '"' -f 4; }
# in_transaction NAME: the same within the order's transactions.
in_transaction() {
  grep -oE "\"$1\":\"[^\"]*\"" <<<"${BODY#*\"transactions\":[}" | head -n 1 | cut -d '"' -f 4
}
has() { [[ $BODY == *"$1"* ]] || die "the answer has no $1"; }
# order_is STATUS / transaction_is STATUS: reads the order ORDER and compares.
order_is() {
  get 200 "/v1/orders/$ORDER/"
  [[ $(value status) == "$1" ]] || die "the order is $(value status), not $1"
  printf '     the order is %s\n' "$1"
}
transaction_is() {
  get 200 "/v1/orders/$ORDER/"
  local found
  found=$(grep -oE '"status":"[a-z]+"(,"transaction_type":"[a-z]+")?(,"[a-z_]+_of_transaction_id":"[^"]*")*,"events"' \
    <<<"$BODY" | head -n 1 | cut -d '"' -f 4)
  [[ $found == "$1" ]] || die "the transaction is $found, not $1"
  printf '     the transaction is %s\n' "$1"
}

# create BODY: sets ORDER, TRANSACTION and SETUP_TOKEN, where there are such.
create() {
  post 201 /v1/orders/ "$1"
  ORDER=$(value id)
  TRANSACTION=$(in_transaction id || true)
  SETUP_TOKEN=$(value setup_token || true)
}
# card_order [MORE MEMBERS OF THE TRANSACTION] [AMOUNT] [MORE MEMBERS OF THE ORDER]
card_order() {
  create "{\"currency\":\"EUR\",\"amount\":${2:-1250},\"merchant_order_id\":\"walk\"${3:+,$3},
    \"transactions\":[{\"payment_method\":\"credit-card\"${1:+,$1}}]}"
}
# store_card PAN: sets VAULT_TOKEN.
store_card() {
  post 201 /vault/v1/cards/ "{\"pan\":\"$1\",\"expiry\":\"122030\",\"name\":\"A Cardholder\",
    \"setup_token\":\"$SETUP_TOKEN\"}"
  VAULT_TOKEN=$(value vault_token)
}
pay_on_page() {
  submit 303 "/pay/$ORDER/$TRANSACTION/" "pan=$1" expiry=12/30 cvc=123 'name=A Cardholder'
}
advance() {
  operate clock "{\"advance\":\"$1\"}"
  printf '     the clock moves by %s\n' "$1"
}
CUSTOMER='"customer":{"first_name":"Ada","last_name":"Example","address_type":"billing",
  "address":"Main Street 1","postal_code":"94016","city":"Somewhere","country":"US","state":"CA"}'

flow 'Hosted page: the customer picks the method'
create '{"currency":"EUR","amount":1250,"merchant_order_id":"walk-1",
  "return_url":"http://shop.test/thanks","expiration_period":"PT1H"}'
has '"order_url":'
send 200 GET "/pay/$ORDER/"
submit 303 "/pay/$ORDER/" method=credit-card
get 200 "/v1/orders/$ORDER/"
TRANSACTION=$(in_transaction id)
pay_on_page "$DECLINED"
order_is processing
submit 303 "/pay/$ORDER/" method=credit-card
pay_to=${LOCATION#"$BASE"}
submit 303 "$pay_to" "pan=$APPROVED" expiry=12/30 cvc=123 'name=A Cardholder'
[[ $LOCATION == http://shop.test/thanks* ]] || die "the customer was sent to $LOCATION"
order_is completed

flow 'Hosted page: the merchant picks the method, and the card asks for 3-D Secure'
card_order
send 200 GET "/pay/$ORDER/$TRANSACTION/"
pay_on_page "$CHALLENGE"
transaction_is pending
submit 303 "/pay/$ORDER/$TRANSACTION/challenge/" outcome=pass
order_is completed

flow 'A declined card: 2xx all the same, the order is in error and says why'
card_order
store_card "$DECLINED"
post 202 "/v1/orders/$ORDER/transactions/$TRANSACTION/initiate/" "{\"vault_token\":\"$VAULT_TOKEN\"}"
order_is error
has '"reason":'

flow 'Own checkout: the order stays processing for up to 60 minutes'
card_order
store_card "$APPROVED"
post 200 "/v1/orders/$ORDER/transactions/$TRANSACTION/authenticate/" \
  "{\"vault_token\":\"$VAULT_TOKEN\",\"cvc\":\"123\"}"
has '"redirect_url":'
transaction_is completed
order_is processing
advance PT60M
order_is completed

flow 'External 3-D Secure: processed directly, without a redirect'
card_order
store_card "$CHALLENGE"
post 200 "/v1/orders/$ORDER/transactions/$TRANSACTION/authenticate/" \
  "{\"vault_token\":\"$VAULT_TOKEN\",\"cavv\":\"AAABBB\",\"3ds_version\":\"2.2.0\",
    \"3ds_method_used\":\"challenge\",\"ds_transaction_id\":\"ds-1\"}"
[[ $BODY != *redirect_url* ]] || die 'there is a redirect_url'
has '"external_authentication_details":'

flow 'A recurring series from another platform'
card_order '"payment_method_details":{"recurring_type":"recurring",
  "first_network_transaction_id":"123456789012345"}'
store_card "$APPROVED"
post 202 "/v1/orders/$ORDER/transactions/$TRANSACTION/initiate/" "{\"vault_token\":\"$VAULT_TOKEN\"}"
has '"first_network_transaction_id":"123456789012345"'
has '"approval_code":'
transaction_is accepted
advance PT1S
transaction_is completed

flow 'Starting twice is refused, and charges nothing'
post 409 "/v1/orders/$ORDER/transactions/$TRANSACTION/initiate/" "{\"vault_token\":\"$VAULT_TOKEN\"}"
has '"type":"TransactionAlreadyStarted"'

flow 'Pre-authorization: captured once'
card_order '"capture_mode":"manual"'
pay_on_page "$APPROVED"
order_is completed
has '"is_capturable":true'
post 201 "/v1/orders/$ORDER/transactions/$TRANSACTION/captures/"
has "\"capture_of_order_id\":\"$ORDER\""
CAPTURE=$(value id)
post 409 "/v1/orders/$ORDER/transactions/$TRANSACTION/captures/"

flow 'A refund of that capture, and the list of refunds'
post 201 "/v1/orders/$CAPTURE/refunds/" '{"amount":250,"description":"one shirt"}'
has '"is-refund"'
get 200 "/v1/orders/$CAPTURE/refunds/"
has '"amount":250'
post 422 "/v1/orders/$CAPTURE/refunds/" '{"amount":5000}'
has '"type":"RefundError"'

flow 'Pre-authorization: captured and voided in part'
card_order '"capture_mode":"manual"'
pay_on_page "$APPROVED"
post 201 "/v1/orders/$ORDER/transactions/$TRANSACTION/captures/amount/" '{"amount":1000}'
post 409 "/v1/orders/$ORDER/transactions/$TRANSACTION/captures/amount/" '{"amount":50}'
has '"type":"TransactionAlreadyStarted"'
post 201 "/v1/orders/$ORDER/transactions/$TRANSACTION/voids/amount/" '{"amount":50}'
post 201 "/v1/orders/$ORDER/transactions/$TRANSACTION/voids/" '{}'
has '"amount":200'
post 409 "/v1/orders/$ORDER/transactions/$TRANSACTION/voids/" 'null'
has '"type":"CanNotCancelTransaction"'

flow 'One-click: the first payment of amount 0 stores and verifies the card'
card_order '"payment_method_details":{"one_click_type":"first"}' 0
pay_on_page "$APPROVED"
order_is completed
has '"ani_results":{"status":"00"'
STORED=$(in_transaction vault_token)
FIRST=$TRANSACTION

flow 'One-click: later payments, by token and by first transaction'
for stored in "\"vault_token\":\"$STORED\"" "\"first_transaction_id\":\"$FIRST\""; do
  card_order "\"payment_method_details\":{\"one_click_type\":\"one-click\",\"cvc\":\"123\",$stored}"
  submit 303 "/pay/$ORDER/$TRANSACTION/"
  order_is completed
done
post 422 /v1/orders/ "{\"currency\":\"EUR\",\"amount\":1,\"transactions\":[{
  \"payment_method\":\"credit-card\",\"payment_method_details\":{\"one_click_type\":\"one-click\",
  \"vault_token\":\"$STORED\"}}]}"
has '"type":"MissingInformationToCreateTransaction"'

flow 'Account funding'
card_order '"payment_method_details":{"receiver_account_number":"DE00123456780000000000",
  "receiver_account_number_type":"card-account"}' 1250 "$CUSTOMER"
has '"transaction_type":"aft"'
pay_on_page "$APPROVED"
order_is completed

flow 'Card payout in three calls'
create "{\"currency\":\"EUR\",\"amount\":900,$CUSTOMER,
  \"transactions\":[{\"payment_method\":\"credit-card-oct\"}]}"
has '"credit_debit":"debit"'
has '"transaction_type":"oct"'
store_card "$APPROVED"
post 200 "/v1/orders/$ORDER/transactions/$TRANSACTION/authenticate/" \
  "{\"vault_token\":\"$VAULT_TOKEN\"}"
has '"redirect_url":'
advance PT1S
order_is completed

flow 'Card payout in one call, with a stored card'
create "{\"currency\":\"EUR\",\"amount\":900,$CUSTOMER,\"transactions\":[{
  \"payment_method\":\"credit-card-oct\",
  \"payment_method_details\":{\"vault_token\":\"$VAULT_TOKEN\"}}]}"
advance PT1S
order_is completed
has '"consumer_country":"US"'

flow 'Wallet A: a merchant session'
post 200 /v1/wallet-a-pay/sessions/ "{\"validationUrl\":\"https://wallet-a.test/validate\",
  \"merchantIdentifier\":\"${PROJECT//-/}\",\"displayName\":\"Shop\",
  \"initiativeContext\":\"shop.test\"}"
has '"sessionData":'

flow 'Wallet B, encrypted: the token service opens the message of the wallet'
create '{"currency":"EUR","amount":700,"transactions":[{"payment_method":"wallet-b-pay"}]}'
for method in PAN_ONLY CRYPTOGRAM_3DS; do
  create '{"currency":"EUR","amount":700,"transactions":[{"payment_method":"wallet-b-pay"}]}'
  operate wallet-b-message "{\"pan\":\"$APPROVED\",\"expirationMonth\":12,\"expirationYear\":2030,
    \"authMethod\":\"$method\"}"
  message=${BODY#*\"walletPayMessage\":}
  post_open 201 /wallet-b/test/tokens/ "{\"walletPayMessage\":${message%\}},
    \"setupToken\":\"$SETUP_TOKEN\",\"transactionId\":\"$TRANSACTION\"}"
  post_open 200 "/pay/$ORDER/select-payment-method/wallet-b-pay/$TRANSACTION/" \
    "{\"vaultToken\":\"$(value vaultToken)\",\"cryptogram\":\"$(value cryptogram || true)\",
      \"eciIndicator\":\"$(value eciIndicator || true)\"}"
  has '"is_successful":true'
  transaction_is completed
done

flow 'Wallet B, decrypted: the merchant stores the card itself'
create '{"currency":"EUR","amount":700,"transactions":[{"payment_method":"wallet-b-pay"}]}'
store_card "$APPROVED"
post_open 200 "/pay/$ORDER/select-payment-method/wallet-b-pay/$TRANSACTION/" \
  "{\"vaultToken\":\"$VAULT_TOKEN\",\"cryptogram\":\"AAAA\",\"eciIndicator\":\"05\",
    \"browser_info_screen_width\":1280,\"browser_info_screen_height\":800,
    \"browser_info_color_depth\":24,\"browser_info_user_agent\":\"walk\",
    \"browser_info_time_zone_offset\":-60,\"browser_info_language\":\"en\",
    \"browser_info_java_enabled\":false}"
has '"reason":"none"'

flow 'A payment link: one attempt fails, the next one pays'
post 201 /v1/paymentlinks/ '{"merchant_order_id":"walk-link","amount":800,"currency":"EUR"}'
LINK=$(value id)
for pan in "$DECLINED" "$APPROVED"; do
  submit 303 "/pay/link/$LINK/" method=credit-card
  pay_to=${LOCATION#"$BASE"}
  submit 303 "$pay_to" "pan=$pan" expiry=12/30 cvc=123 'name=A Cardholder'
  get 200 "/v1/paymentlinks/$LINK/"
  printf '     the link is %s\n' "$(value status)"
done
[[ $(value status) == completed ]] || die 'the link is not completed'

flow 'Search, page by page, and the report'
post 200 /v1/search/orders/ '{"query":"merchant_order_id:walk AND status:completed","size":2,
  "sort":"id asc","search_after":"-1"}'
has '"hits":'
post 200 /v1/search/orders/ "{\"query\":\"merchant_order_id:walk AND status:completed\",\"size\":2,
  \"sort\":\"id asc\",\"search_after\":\"$(value search_after)\"}"
post 200 '/v1/search/orders/?format=csv' '{"query":"*"}'
has 'id,merchant_order_id,created,completed,currency,amount,status,transaction.id'

flow 'An order that nobody pays expires'
create '{"currency":"EUR","amount":1,"expiration_period":"PT5M"}'
advance PT5M
order_is expired

flow 'The customer gives up'
card_order '' 1250 '"failure_url":"http://shop.test/failed"'
submit 303 "/pay/$ORDER/" action=cancel
[[ $LOCATION == http://shop.test/failed* ]] || die "the customer was sent to $LOCATION"
order_is cancelled

flow 'What the bank does later: a chargeback'
card_order
pay_on_page "$APPROVED"
operate "orders/$ORDER/pay" '{"outcome":"chargeback"}'
has "\"chargeback_of_order_id\":\"$ORDER\""

flow 'Currencies, and errors that say what is wrong'
get 200 /v1/merchants/self/projects/self/currencies/
post 422 /v1/orders/ '{"currency":"euro","amount":1}'
has '"type":"ValidationError"'
post 400 /v1/orders/ '{'
send 401 GET /v1/orders/00000000-0000-4000-8000-000000000000/
get 404 /v1/orders/00000000-0000-4000-8000-000000000000/
send 405 DELETE /v1/orders/ -u "$KEY:"
send 403 POST /v1/orders/ -u sandbox-limited-key: -d '{"currency":"EUR","amount":1}'

printf '\nAll flows were walked.\n'
