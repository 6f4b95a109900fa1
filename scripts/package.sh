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
  local file
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
    zgrep -q '^librdkafka$' "$root/usr/share/doc/$name/third-party-notices"* || die "$name has no notices of its parts"
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

# package_keep RELEASE: what BARE_ROOT has built stays, also when it turns out to be no good.
package_keep() {
  rm -rf "build/package-$1"
  mkdir -p "build/package-$1"
  cp "$BARE_ROOT$ROOT"/build/package/*.deb "build/package-$1/"
  git rev-parse HEAD >"build/package-$1/commit"
}

# package_is_built RELEASE: of the last commit.
package_is_built() {
  [[ -e build/package-$1/commit && $(<"build/package-$1/commit") == $(git rev-parse HEAD) ]]
}
