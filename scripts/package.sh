# Sourced by ./dev: the Debian packages, built, and tried in a root that has nothing else.
# What other scripts set, or read, looks unset and unused to shellcheck.
# shellcheck shell=bash disable=SC2153,SC2034

readonly PACKAGE_DIR="$ROOT/build/package"
# The most that `systemd-analyze security` may find exposed of the unit, of 10.
readonly PACKAGE_EXPOSURE=2.0

# The libraries that a package brings, as Debian cannot give them: what Debian 12 has in its backports
# only, and OpenTelemetry's, whose package does not say what a program needs of it.
package_carried_libraries() {
  # shellcheck disable=SC1091
  case $(. /etc/os-release && echo "${VERSION_ID:-}") in
    12) echo '^lib(boost|opentelemetry)_' ;;
    *) echo '^libopentelemetry_' ;;
  esac
}

package_command() {
  [[ $# -eq 0 ]] || die "usage: ./dev package; not: $*"
  setup_group build package
  rm -rf "$PACKAGE_DIR"
  mkdir -p "$PACKAGE_DIR"
  package_build
  package_pack
  package_check
}

# In a folder of its own: what is carried is set for good when it is configured.
package_build() {
  local log=build/.setup/configure-package.log started=$SECONDS
  cmake --preset release -B build/release-package -DTOLLBRIDGE_BUILD_TESTS=OFF \
    "-DTOLLBRIDGE_CARRIED_LIBRARIES=$(package_carried_libraries)" >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    die "configuring failed (log: $log)"
  }
  compile release-package tollbridge tollbridge-sandbox man
  say "built the programs in $((SECONDS - started)) s"
}

# debhelper wants its folder debian/ beside what it packs.
package_pack() {
  local work="$PACKAGE_DIR/work" log="$PACKAGE_DIR/pack.log"
  mkdir -p "$work"
  cp -r deploy/debian "$work/debian"
  cp deploy/systemd/tollbridge@.service "$work/debian/tollbridge@.service"
  cp deploy/systemd/tollbridge.sysusers "$work/debian/tollbridge.sysusers"
  cp deploy/systemd/tollbridge.tmpfiles "$work/debian/tollbridge.tmpfiles"
  package_changelog >"$work/debian/changelog"
  (
    cd "$work"
    export TOLLBRIDGE_BUILD="$ROOT/build/release-package" TOLLBRIDGE_SOURCES="$ROOT"
    SOURCE_DATE_EPOCH=$(git -C "$ROOT" log -1 --format=%ct)
    export SOURCE_DATE_EPOCH
    dpkg-buildpackage --build=binary --no-sign --no-check-builddeps
  ) >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    die "packing failed (log: build/package/pack.log)"
  }
  rm -rf "$work"
}

# The version says for which release it is: it must sort by that too, for whoever upgrades.
package_changelog() {
  # shellcheck disable=SC1091
  printf 'tollbridge (%s+deb%s) unstable; urgency=medium\n\n  * Commit %s.\n\n -- %s  %s\n' \
    "$(product_version)" "$(. /etc/os-release && echo "$VERSION_ID")" "$(product_revision)" \
    "$(sed -n 's/^Maintainer: //p' deploy/debian/control)" "$(git log -1 --format=%cD)"
}

package_check() {
  local file exposure
  for file in "$PACKAGE_DIR"/*.deb; do
    say "$(basename "$file"): $(($(stat -c %s "$file") / 1000)) kB, $(dpkg-deb -f "$file" Installed-Size) KiB installed"
  done
  package_unpacked
  package_unit
}

# What can be said of the content without installing it.
package_unpacked() {
  local name root found
  for name in tollbridge tollbridge-sandbox; do
    root=$PACKAGE_DIR/$name
    dpkg-deb -x "$PACKAGE_DIR/${name}_"*.deb "$root"
    found=$(grep -rlaF "$ROOT" "$root" || true)
    [[ -z $found ]] || die "$name has paths of the build in it: $found"
    [[ -n $(find "$root/usr/share/man/man1" -name "$name.1.gz") ]] || die "$name has no manual page"
    found=$(LC_ALL=C MANROFFSEQ='' MANWIDTH=80 find "$root/usr/share/man" -name '*.gz' -exec sh -c \
      'zcat "$1" | groff -man -ww -z -Tutf8 2>&1 | sed "s|^|$1: |"' man {} \;)
    [[ -z $found ]] || die "manual pages that are not good: $found"
  done
}

# That systemd takes the unit, and what it thinks of it.
package_unit() {
  local root=$PACKAGE_DIR/tollbridge unit exposure
  unit=$(find "$root" -name 'tollbridge@.service')
  mkdir -p "$PACKAGE_DIR/units"
  # Of the program that is packed: systemd looks whether it is there.
  sed "s|/usr/bin/tollbridge|$root/usr/bin/tollbridge|" "$unit" >"$PACKAGE_DIR/units/tollbridge@rpc.service"
  systemd-analyze verify --man=no "$PACKAGE_DIR/units/tollbridge@rpc.service" >"$PACKAGE_DIR/verify.log" 2>&1 ||
    die "systemd does not take the unit: $(<"$PACKAGE_DIR/verify.log")"
  [[ ! -s $PACKAGE_DIR/verify.log ]] || die "systemd complains of the unit: $(<"$PACKAGE_DIR/verify.log")"
  systemd-analyze security --offline=true --no-pager "$PACKAGE_DIR/units/tollbridge@rpc.service" \
    >"$PACKAGE_DIR/security.txt" 2>&1 || true
  exposure=$(sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p' "$PACKAGE_DIR/security.txt")
  [[ -n $exposure ]] || die "systemd-analyze security does not rate the unit: build/package/security.txt"
  awk -v found="$exposure" -v limit="$PACKAGE_EXPOSURE" 'BEGIN { exit !(found < limit) }' ||
    die "the unit's exposure is $exposure, of $PACKAGE_EXPOSURE: build/package/security.txt"
  say "systemd-analyze security: $exposure"
}

# bare_try_package RELEASE CODENAME MIRROR: installs what BARE_ROOT has built in a second root that has
# nothing but what apt takes in for it, runs all roles there as the units say, pays an order, and
# removes it. Redis and the customer are this machine's.
bare_try_package() {
  setup_group build
  BARE_TRIAL=$(mktemp -d "$ROOT/build/bare/trial.XXXXXX")
  bare_make_root "$2" "$3" "$BARE_TRIAL" || die "making the root failed (log: build/bare/debootstrap-$2.log)"
  # What was built stays, also when it turns out to be no good.
  rm -rf "build/package-$1"
  mkdir -p "$BARE_TRIAL/packages" "build/package-$1"
  cp "$BARE_ROOT$ROOT"/build/package/*.deb "build/package-$1/"
  cp "$BARE_ROOT$ROOT"/build/package/tollbridge{,-sandbox}_*.deb "$BARE_TRIAL/packages/"
  local log="build/bare/package-$1.log"
  package_in_trial "$log" apt-get update
  package_in_trial "$log" apt-get install -y --no-install-recommends /packages/tollbridge_*.deb /packages/tollbridge-sandbox_*.deb
  say "installed with $(LC_ALL=C comm -13 "$BARE_TRIAL/minbase.txt" <(bare_packages "$BARE_TRIAL") |
    awk '!/^tollbridge/ { n++; kib += $2 } END { printf "%d packages, %d MiB", n, kib / 1024 }') of Debian $1"
  package_installed
  package_run
  package_in_trial "$log" apt-get remove -y tollbridge tollbridge-sandbox
  [[ -e $BARE_TRIAL/etc/tollbridge/tollbridge.yaml ]] || die "removing the package took the configuration away"
  package_in_trial "$log" apt-get purge -y tollbridge tollbridge-sandbox
  package_removed
  say "installed, configured, run and removed on Debian $1"
}

# package_in_trial LOG COMMAND...
package_in_trial() {
  local log=$1
  shift
  # shellcheck disable=SC2016
  bare_contain bash -euc '
    mount -t proc proc "$1/proc"
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 \
      bash -c "exec \"\$@\"" trial "${@:2}"
  ' trial "$BARE_TRIAL" "$@" >>"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    die "$* failed (log: $log)"
  }
}

package_installed() {
  local etc
  grep -q '^tollbridge:' "$BARE_TRIAL/etc/passwd" || die "the package made no user"
  etc=$(chroot "$BARE_TRIAL" stat -c '%U:%G %a' /etc/tollbridge) || die "the package made no /etc/tollbridge"
  [[ $etc == 'root:tollbridge 750' ]] || die "/etc/tollbridge is $etc"
  PACKAGE_UNIT=$(find "$BARE_TRIAL/lib/systemd/system/" "$BARE_TRIAL/usr/lib/systemd/system/" -name 'tollbridge@.service' 2>/dev/null | head -n 1)
  [[ -n $PACKAGE_UNIT ]] || die "the package has no unit"
  [[ -e $BARE_TRIAL/usr/share/bash-completion/completions/tollbridge ]] || die "the package has no completion"
}

# Nothing stays behind but what the administrator wrote, the user that files may belong to, and logs.
package_removed() {
  local left
  left=$(find "$BARE_TRIAL" -xdev -path "$BARE_TRIAL/packages" -prune -o -name '*tollbridge*' -printf '%P\n' |
    grep -vE '^(etc/tollbridge(/tollbridge\.yaml)?|var/lib/apt/.*|var/cache/.*)$' || true)
  [[ -z $left ]] || die "the package left: $left"
}

# package_unit_line ROLE KEY: a line of the unit, as systemd would read it.
package_unit_line() {
  sed -n "s/^$2=//p" "$PACKAGE_UNIT" | sed "s/%i/$1/g; s/%l/$(hostname -s)/g"
}

# package_program NAME USER: writes a command that runs the trial's program as a user.
package_program() {
  cat >"$PACKAGE_TRIAL_BIN/$1" <<PROGRAM
#!/usr/bin/env bash
exec unshare --mount --propagation private bash -euc '
  mount -t proc proc "$BARE_TRIAL/proc"
  mkdir -p "$BARE_TRIAL$ROOT/build"
  mount --bind "$ROOT/build" "$BARE_TRIAL$ROOT/build"
  exec chroot --userspec=$2 "$BARE_TRIAL" /usr/bin/$1 "\$@"
' trial "\$@"
PROGRAM
  chmod +x "$PACKAGE_TRIAL_BIN/$1"
}

package_run() {
  local role arguments etc=$BARE_TRIAL/etc/tollbridge webhooks grpc
  local -a roles=(rpc webhooks events reconcile) pids=()
  PACKAGE_TRIAL_BIN=$ROOT/build/bare/bin
  mkdir -p "$PACKAGE_TRIAL_BIN"
  package_program tollbridge tollbridge:tollbridge
  package_program tollbridge-sandbox nobody:nogroup
  BIN=$PACKAGE_TRIAL_BIN SHOWN_BIN=build/bare/bin
  demo_take_folder package-try
  demo_start_embedded
  demo_write_secrets
  demo_write_config
  # Each role a process: what the others reach it by is known before it starts.
  grpc=127.0.0.1:$(demo_free_port)
  webhooks=127.0.0.1:$(demo_free_port)
  sed -i -e "/^rpc:/,/listen:/s/listen: .*/listen: $grpc/" -e "/^webhooks:/,/listen:/s/listen: .*/listen: $webhooks/" \
    -e "s|public_url: .*|public_url: http://$webhooks|" -e "s|$DEMO_DIR/secrets|/etc/tollbridge/secrets|" "$DEMO_DIR/tollbridge.yaml"
  cp -r "$DEMO_DIR/tollbridge.yaml" "$DEMO_DIR/secrets" "$etc/"
  chroot "$BARE_TRIAL" chown -R root:tollbridge /etc/tollbridge
  chmod -R u=rwX,g=rX,o= "$etc"
  chmod -R a+rX "$DEMO_DIR"
  "$BIN/tollbridge" init-store --first-installation --config /etc/tollbridge/tollbridge.yaml \
    >"$DEMO_DIR/init-store.log" 2>&1 || demo_fail "init-store failed" init-store.log
  for role in "${roles[@]}"; do
    [[ $(package_unit_line "$role" User) == tollbridge ]] || die "the unit names another user"
    arguments=$(package_unit_line "$role" ExecStartPre)
    # shellcheck disable=SC2086
    "$BIN/tollbridge" ${arguments#/usr/bin/tollbridge } >"$DEMO_DIR/check-$role.log" 2>&1 ||
      demo_fail "ExecStartPre of $role failed" "check-$role.log"
    arguments=$(package_unit_line "$role" ExecStart)
    # Their drop-ins are read by systemd alone; any free port will do.
    # shellcheck disable=SC2086
    TOLLBRIDGE_METRICS_LISTEN=127.0.0.1:0 demo_spawn "the role $role" "$role.log" "$role.err" \
      "$BIN/tollbridge" ${arguments#/usr/bin/tollbridge }
    pids+=("$DEMO_PID")
  done
  for role in "${roles[@]}"; do
    demo_wait 20 "the role $role" "$role.log" grep -qs '"event":"serving"' "$DEMO_DIR/$role.log"
  done
  GRPC_ADDR=$grpc
  demo_pay_one_order >"$DEMO_DIR/paid.log"
  say "paid an order by four units, as user $(chroot "$BARE_TRIAL" id -nu "$(stat -c %u "/proc/${pids[0]}")")"
  demo_stop
  DEMO_DIR=
}
