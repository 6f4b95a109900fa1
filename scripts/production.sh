# Sourced by ./dev: follows docs/guides/production.md on a machine that has nothing: its commands, as they
# stand, around what the guide asks the reader to bring.
# What other scripts read looks unused to shellcheck.
# shellcheck shell=bash disable=SC2034,SC2153

readonly PRODUCTION_GUIDE="$ROOT/docs/guides/production.md"
# One address each, on the machine's own network.
readonly PRODUCTION_BROKERS=(kafka-1.example kafka-2.example kafka-3.example)

# production_try RELEASE CODENAME MIRROR: from the packages in build/package-RELEASE to a paid order, and away
# again.
production_try() {
  setup_group build test
  fetch_kafka
  configure dev
  compile dev tollbridge-sandbox
  BIN=$ROOT/build/dev/bin
  BARE_TRIAL=$(mktemp -d "$ROOT/build/bare/machine.XXXXXX")
  bare_make_root "$2" "$3" "$BARE_TRIAL" || die "making the root failed (log: build/bare/debootstrap-$2.log)"
  demo_take_folder production
  production_bring "$1"
  production_machine "$1"
  production_start_kafka
  production_start_payment_service
  production_follow
  production_sandbox_package
  production_left
  say "from an empty machine to a paid order, and away again, on Debian $1"
  demo_stop
  DEMO_DIR=
}

# What the reader of the guide is asked for, in the machine's /root, and what only others have, in DEMO_DIR.
production_bring() {
  local home=$BARE_TRIAL/root
  production_authority
  production_certificate kafka "$(printf 'DNS:%s,' "${PRODUCTION_BROKERS[@]}")DNS:localhost"
  production_certificate kafka-admin DNS:kafka-admin
  production_certificate payment-service DNS:payment-service.example
  production_certificate tollbridge DNS:tollbridge
  production_certificate hooks DNS:hooks.shop.example
  mkdir -p "$home/kafka" "$home/hooks" "$BARE_TRIAL/usr/local/share/ca-certificates"
  cp "$DEMO_DIR/authority.pem" "$BARE_TRIAL/usr/local/share/ca-certificates/authority.crt"
  cp "$DEMO_DIR/authority.pem" "$home/kafka/ca.pem"
  cp "$DEMO_DIR/tollbridge.pem" "$home/kafka/certificate.pem"
  cp "$DEMO_DIR/tollbridge-key.pem" "$home/kafka/key.pem"
  cp "$DEMO_DIR/hooks.pem" "$home/hooks/chain.pem"
  cp "$DEMO_DIR/hooks-key.pem" "$home/hooks/key.pem"
  # The sandbox's own test key.
  echo sandbox-shop-key >"$home/api-key"
  cp build/package-"$1"/tollbridge_*.deb "$home/"
  production_newer_package "$home"
  mkdir "$BARE_TRIAL/packages"
  cp build/package-"$1"/tollbridge-sandbox_*.deb "$BARE_TRIAL/packages/tollbridge-sandbox.deb"
}

# production_newer_package HOME: the same package as a later version, with another unit.
production_newer_package() {
  local content=$DEMO_DIR/newer unit
  rm -rf "$content"
  dpkg-deb --raw-extract "$1"/tollbridge_*.deb "$content"
  sed -i 's/^Version: .*/&+newer/' "$content/DEBIAN/control"
  unit=$(find "$content" -name 'tollbridge@.service')
  sed -i 's/^TimeoutStopSec=.*/TimeoutStopSec=61/' "$unit"
  mkdir -p "$1/newer"
  dpkg-deb --build --root-owner-group "$content" "$1/newer/tollbridge_newer.deb" >/dev/null
  rm -rf "$content"
}

production_authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj '/CN=Authority of the trial' \
    -keyout "$DEMO_DIR/authority-key.pem" -out "$DEMO_DIR/authority.pem" 2>"$DEMO_DIR/openssl.log"
}

# production_certificate NAME ALTERNATIVE-NAMES: NAME.pem and NAME-key.pem, of CN=NAME.
production_certificate() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$DEMO_DIR/$1-key.pem" \
    2>>"$DEMO_DIR/openssl.log" |
    openssl x509 -req -CA "$DEMO_DIR/authority.pem" -CAkey "$DEMO_DIR/authority-key.pem" -CAcreateserial -days 30 \
      -extfile <(echo "subjectAltName=$2") -out "$DEMO_DIR/$1.pem" 2>>"$DEMO_DIR/openssl.log"
}

# Installs what every machine has, fetches what the guide will install, and starts it.
production_machine() {
  local log=$ROOT/build/bare/production-$1.log i
  : >"$log"
  machine_prepare "$BARE_TRIAL" "$log" apt-get update
  machine_prepare "$BARE_TRIAL" "$log" apt-get install -y --no-install-recommends "${MACHINE_PACKAGES[@]}" ca-certificates
  machine_prepare "$BARE_TRIAL" "$log" update-ca-certificates
  bare_packages "$BARE_TRIAL" >"$BARE_TRIAL/minbase.txt"
  # There is no network later: what the guide installs is fetched now.
  machine_prepare "$BARE_TRIAL" "$log" bash -c "cd /root && $(production_block Install) --download-only"
  machine_prepare "$BARE_TRIAL" "$log" apt-get install -y --no-install-recommends --download-only /packages/tollbridge-sandbox.deb
  rm "$BARE_TRIAL/usr/sbin/policy-rc.d"
  {
    echo '127.0.0.1 localhost payment-service.example hooks.shop.example gateway.shop.example'
    for i in "${!PRODUCTION_BROKERS[@]}"; do echo "127.0.0.$((i + 11)) ${PRODUCTION_BROKERS[i]}"; done
  } >"$BARE_TRIAL/etc/hosts"
  machine_start "$BARE_TRIAL"
}

# Three brokers that know their callers by certificate, and let nobody do what no rule allows.
production_start_kafka() {
  local i dir quorum tls
  PRODUCTION_JAVA=("${MACHINE_REACH[@]}" java -Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1
    -cp "$TOLLBRIDGE_KAFKA_LIBS/*")
  cat "$DEMO_DIR"/{kafka-key,kafka}.pem >"$DEMO_DIR/kafka-store.pem"
  cat "$DEMO_DIR"/{kafka-admin-key,kafka-admin}.pem >"$DEMO_DIR/kafka-admin-store.pem"
  tls="ssl.keystore.type=PEM
ssl.truststore.type=PEM
ssl.truststore.location=$DEMO_DIR/authority.pem"
  quorum=$(for i in 1 2 3; do printf '%s@%s:9094,' "$i" "${PRODUCTION_BROKERS[i - 1]}"; done)
  for i in 1 2 3; do
    dir=$DEMO_DIR/kafka/$i
    mkdir -p "$dir"
    cat >"$dir/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=$i
controller.quorum.voters=${quorum%,}
listeners=SSL://${PRODUCTION_BROKERS[i - 1]}:9093,CONTROLLER://${PRODUCTION_BROKERS[i - 1]}:9094
controller.listener.names=CONTROLLER
inter.broker.listener.name=SSL
listener.security.protocol.map=SSL:SSL,CONTROLLER:SSL
$tls
ssl.keystore.location=$DEMO_DIR/kafka-store.pem
ssl.client.auth=required
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:CN=kafka;User:CN=kafka-admin
auto.create.topics.enable=false
controlled.shutdown.enable=false
log.dirs=$dir/data
offsets.topic.num.partitions=3
group.initial.rebalance.delay.ms=0
PROPERTIES
    "${PRODUCTION_JAVA[@]}" kafka.tools.StorageTool format --cluster-id tollbridge-trial -c "$dir/server.properties" \
      >"$DEMO_DIR/kafka-$i.log" 2>&1 || demo_fail "Kafka's storage cannot be formatted" "kafka-$i.log"
    demo_spawn "Kafka $i" "kafka-$i.log" "kafka-$i.log" \
      "${PRODUCTION_JAVA[@]}" kafka.Kafka "$dir/server.properties"
  done
  for i in 1 2 3; do
    demo_wait 180 "Kafka $i" "kafka-$i.log" grep -q 'Kafka Server started' "$DEMO_DIR/kafka-$i.log"
  done
  # What its administrator has.
  mkdir -p "$DEMO_DIR/administrator"
  printf '%s\n' security.protocol=SSL "$tls" "ssl.keystore.location=$DEMO_DIR/kafka-admin-store.pem" \
    >"$DEMO_DIR/administrator/admin.properties"
}

# The sandbox, as the payment service, and a customer who pays whatever is open. Both are this machine's.
production_start_payment_service() {
  demo_spawn "the payment service" sandbox.json sandbox.log "${MACHINE_REACH[@]}" env "SSL_CERT_FILE=$DEMO_DIR/authority.pem" \
    "$BIN/tollbridge-sandbox" --listen 127.0.0.1:443 --admin-anywhere --public-url https://payment-service.example \
    --tls-certificate "$DEMO_DIR/payment-service.pem" --tls-key "$DEMO_DIR/payment-service-key.pem"
  demo_wait 10 "the payment service" sandbox.log grep -qs base_url "$DEMO_DIR/sandbox.json"
  # shellcheck disable=SC2016
  demo_spawn "the customer" customer.log customer.log "${MACHINE_REACH[@]}" bash -c '
    ask() { curl -sS --cacert "$authority" "https://payment-service.example/_sandbox/$@"; }
    authority=$1
    while sleep 0.2; do
      ask orders | grep -oE "\"id\":\"[0-9a-f-]{36}\"[^{}]*\"status\":\"new\"" | cut -d\" -f4 | while read -r order; do
        ask "orders/$order/pay" -d "{\"outcome\": \"approve\"}" -H "Content-Type: application/json"
      done
    done' customer "$DEMO_DIR/authority.pem"
}

# production_block SECTION: its commands.
production_block() {
  awk -v wanted="$1" '
    /^## / { section = substr($0, 4); sub(/^[0-9]+\. /, "", section) }
    /^```sh/ && section == wanted { inside = 1; next }
    /^```$/ { inside = 0 }
    inside' "$PRODUCTION_GUIDE"
}

# Every block of commands, in order, in a shell of its own; ```sh kafka is for whoever administers Kafka.
production_follow() {
  local block where section log
  mkdir -p "$DEMO_DIR/blocks" "$DEMO_DIR/bin"
  rm -f "$DEMO_DIR"/blocks/*
  printf '#!/usr/bin/env bash\nexec %s org.apache.kafka.tools.AclCommand "$@"\n' "${PRODUCTION_JAVA[*]@Q}" \
    >"$DEMO_DIR/bin/kafka-acls.sh"
  chmod +x "$DEMO_DIR/bin/kafka-acls.sh"
  ! grep -nE '^ *(```|~~~)' "$PRODUCTION_GUIDE" | grep -vE ':```(sh( kafka)?)?$' ||
    die "production.md has blocks that nobody runs"
  awk -v folder="$DEMO_DIR/blocks" '
    /^## / { section = substr($0, 4); sub(/^[0-9]+\. /, "", section); gsub(" ", "-", section) }
    /^```sh/ { file = sprintf("%s/%02d.%s.%s", folder, ++n, $2 == "" ? "machine" : $2, section); next }
    /^```$/ { file = "" }
    file { print >file }' "$PRODUCTION_GUIDE"
  while read -r _ _ section; do
    [[ -n $(compgen -G "$DEMO_DIR/blocks/*.${section#production_after_}") ]] || die "production.md has no '$section'"
  done < <(declare -F | grep production_after_)
  for block in "$DEMO_DIR"/blocks/*; do
    IFS=. read -r _ where section <<<"$(basename "$block")"
    log=$(basename "$block").log
    say "production.md, ${section//-/ }"
    # In the background, because a shell that waits for a command in the foreground heeds no signal.
    case $where in
      machine) machine_run bash -euo pipefail -c "$(<"$block")" ;;
      kafka) cd "$DEMO_DIR/administrator" && PATH="$DEMO_DIR/bin:$PATH" bash -euo pipefail "$block" ;;
      *) die "production.md: nobody is to run commands marked '$where'" ;;
    esac >"$DEMO_DIR/$log" 2>&1 </dev/null &
    wait $! || {
      machine_run journalctl --no-pager --lines 30 --unit 'tollbridge@*' >"$DEMO_DIR/journal.log" 2>&1 || true
      demo_fail "the commands of '${section//-/ }' failed" "$log" journal.log
    }
    demo_check_alive
    ! declare -F "production_after_$section" >/dev/null || "production_after_$section"
  done
}

production_after_Install() {
  local etc
  say "installed with $(bare_installed "$BARE_TRIAL" | awk '!/^tollbridge/ { n++; kib += $2 } END { printf "%d packages, %d MiB", n, kib / 1024 }')"
  etc=$(machine_run stat -c '%U:%G %a' /etc/tollbridge) || die "the package made no /etc/tollbridge"
  [[ $etc == 'root:tollbridge 750' ]] || die "/etc/tollbridge is $etc"
  [[ -e $BARE_TRIAL/usr/share/bash-completion/completions/tollbridge ]] || die "the package has no completion"
}

production_after_Start() {
  local role process
  # shellcheck disable=SC2016
  for role in rpc webhooks events reconcile; do
    process=$(machine_run systemctl show --property MainPID --value "tollbridge@$role")
    [[ $(machine_run stat -c %U "/proc/$process") == tollbridge ]] || die "the role $role runs as another user"
    say "$role: $(machine_run awk '/^VmRSS/ { printf "%d MB", $2 / 1000 }' "/proc/$process/status")"
    [[ $role == rpc || $(production_bytes "$process" outcome-keys) -eq 0 ]] || die "the role $role can read outcome-keys"
  done
  process=$(machine_run systemctl show --property MainPID --value tollbridge@rpc)
  [[ $(production_bytes "$process" outcome-keys) -gt 0 ]] || die "the role rpc cannot read outcome-keys"
}

# production_bytes PROCESS NAME: of a secret, as the process sees it.
production_bytes() {
  machine_run nsenter --target "$1" --mount -- cat "/etc/tollbridge/secrets/$2" | wc -c
}

# Which package is installed, and whether systemd runs by its unit.
production_after_Upgrade() { production_runs newer "1min 1s"; }
production_after_Roll-back() { production_runs older 1min; }

# production_runs WHICH TIMEOUT
production_runs() {
  local found
  found=$(machine_run systemctl show --property NeedDaemonReload --property TimeoutStopUSec tollbridge@rpc | sort | xargs)
  [[ $found == "NeedDaemonReload=no TimeoutStopUSec=$2" ]] || die "with the $1 package the unit says $found"
}

# Nothing stays behind but what the guide says, and the user that files may belong to.
production_left() {
  local left
  left=$(find "$BARE_TRIAL" -xdev \( -path "$BARE_TRIAL/packages" -o -path "$BARE_TRIAL/root" -o -path "$BARE_TRIAL/var/backups" -o -path "$BARE_TRIAL/etc/redis" \
    -o -path "$BARE_TRIAL/var/lib/apt" -o -path "$BARE_TRIAL/var/cache" \) -prune -o -name '*tollbridge*' -printf '%P\n')
  [[ -z $left ]] || die "the package left: $left"
}

# The other package: it wants nothing of the first.
production_sandbox_package() {
  # shellcheck disable=SC2016
  machine_run bash -euo pipefail -c '
    apt-get autoremove -y --purge
    apt-get install -y --no-install-recommends /packages/tollbridge-sandbox.deb
    runuser -u nobody -- timeout --preserve-status 2 tollbridge-sandbox --listen 127.0.0.1:0 | grep -q base_url
    apt-get purge -y tollbridge-sandbox' >"$DEMO_DIR/sandbox-package.log" 2>&1 ||
    demo_fail "the sandbox's package is no good" sandbox-package.log
}
