# Sourced by ./dev: a bare Debian to try a command in, as somebody meets it who has just cloned.
# shellcheck shell=bash

# bare_command 12|13 COMMAND...: runs ./dev COMMAND in a clean clone of the last commit, in a minimal
# Debian of that release that is made for it below build/bare and removed when it ends. Nothing of this
# machine is in there but the compiler's cache, and how the network is reached: name servers, the
# machine's own certificate authorities, apt's and pip's ways of connecting. The processes in it are
# killed with it. Prints what was installed and how long it took; the status is the command's.
# What `package` builds is then tried on a machine, as docs/guides/production.md says; `production` does
# the same, and builds only what was not built of this commit.
bare_command() {
  local release=${1:-} codename mirror what
  case $release in
    12) codename=bookworm ;;
    13) codename=trixie ;;
    *) die "./dev bare 12|13 COMMAND...: '$release' is no release of Debian that is supported" ;;
  esac
  shift
  [[ $# -gt 0 ]] || die "./dev bare $release COMMAND...: which command of ./dev?"
  [[ $EUID -eq 0 ]] || die "./dev bare wants root: it makes a root file system and enters it"
  setup_group bare
  mirror=$(configured_mirror debian) || true
  [[ -n $mirror ]] || die "found no Debian mirror in the machine's apt configuration"
  [[ -z $(git status --porcelain) ]] || say "what is not committed is not in the clone"

  mkdir -p build/bare
  # Global: the traps outlive this function.
  BARE_ROOT=''
  BARE_TRIAL=''
  BARE_CHILD=''
  trap bare_remove EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  what=$*
  if [[ $what == production ]]; then set -- package; fi
  if [[ $what != production ]] || ! package_is_built "$release"; then
    bare_try "$release" "$codename" "$mirror" "$@" || return
    [[ $1 != package ]] || package_keep "$release"
  fi
  [[ $1 != package ]] || production_try "$release" "$codename" "$mirror"
}

# bare_try RELEASE CODENAME MIRROR COMMAND...
bare_try() {
  local release=$1 codename=$2 mirror=$3
  shift 3
  BARE_ROOT=$(mktemp -d "$ROOT/build/bare/$codename.XXXXXX")
  bare_make_root "$codename" "$mirror" "$BARE_ROOT" || die "making the root failed (log: build/bare/debootstrap-$codename.log)"
  bare_clone || die "the clone failed"

  local started=$SECONDS status=0
  say "running ./dev $* on bare Debian $release at commit $(git rev-parse --short HEAD)"
  bare_run "$@" || status=$?
  bare_report "$release" "$((SECONDS - started))" "$status" "$*"
  return "$status"
}

# Nothing is mounted here any more: the mounts were made in a namespace of their own.
bare_remove() {
  trap '' HUP INT TERM
  [[ -z ${DEMO_DIR:-} ]] || demo_stop
  machine_stop
  [[ -z $BARE_CHILD ]] || bare_kill
  rm -rf --one-file-system "$BARE_ROOT" "$BARE_TRIAL"
}

# bare_contain COMMAND...: in namespaces of its own for mounts and processes. In the background, because
# a shell that waits for a command in the foreground heeds no signal until that has ended, and unshare
# heeds neither INT nor TERM; with the signals' defaults, which a shell takes from what runs there.
bare_contain() {
  local status=0
  env --default-signal=INT,QUIT unshare --mount --mount-proc --pid --fork --kill-child "$@" <&0 &
  BARE_CHILD=$!
  wait "$BARE_CHILD" || status=$?
  BARE_CHILD=''
  return "$status"
}

# Kills the first process of the namespace, with which the kernel kills all others; unshare ends when
# they have. (Without unshare nobody could wait for that, and removing the root would race with them.)
bare_kill() {
  while kill -0 "$BARE_CHILD" 2>/dev/null; do
    pkill -KILL -P "$BARE_CHILD" || true
    sleep 0.05
  done
}

# bare_make_root CODENAME MIRROR ROOT
bare_make_root() {
  local log="$ROOT/build/bare/debootstrap-$1.log" made=$3 started=$SECONDS file
  say "making a bare Debian ($1)"
  mkdir -p "$ROOT/build/bare"
  bare_contain debootstrap --variant=minbase "$1" "$made" "$2" >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    return 1
  }
  {
    echo "deb $2 $1 main"
    echo "deb $2 $1-updates main"
    echo "deb $2-security $1-security main"
  } >"$made/etc/apt/sources.list"
  apt-config dump Acquire >"$made/etc/apt/apt.conf.d/01network"
  mkdir -p "$made/usr/local/share/ca-certificates"
  for file in /etc/resolv.conf /etc/pip.conf /usr/local/share/ca-certificates/*.crt; do
    [[ ! -e $file ]] || cp -L "$file" "$made$file"
  done
  # debootstrap leaves this to whoever sets a machine up, and every machine has it.
  printf '127.0.0.1 localhost\n' >"$made/etc/hosts"
  # Packages start no services in there.
  printf '#!/bin/sh\nexit 101\n' >"$made/usr/sbin/policy-rc.d"
  chmod +x "$made/usr/sbin/policy-rc.d"
  bare_packages "$made" >"$made/minbase.txt"
  say "made it in $((SECONDS - started)) s"
}

# A clean clone of the last commit, in the root.
bare_clone() {
  # At the path that it has here, so that the compiler's cache knows its files.
  mkdir -p "$BARE_ROOT$ROOT" "$BARE_ROOT/ccache"
  git clone -q --no-local "$ROOT" "$BARE_ROOT$ROOT" || return
  git -C "$BARE_ROOT$ROOT" checkout -q --detach "$(git rev-parse HEAD)"
}

# bare_packages ROOT: its packages, a line each: name, size in KiB.
bare_packages() {
  # shellcheck disable=SC2016
  chroot "$1" dpkg-query -W -f '${Package} ${Installed-Size}\n' | LC_ALL=C sort
}

# bare_installed ROOT: those that came after it was made.
bare_installed() {
  LC_ALL=C comm -13 "$1/minbase.txt" <(bare_packages "$1")
}

# bare_run COMMAND...: in the root.
bare_run() {
  local cache asks=''
  cache=$(ccache -k cache_dir 2>/dev/null || true)
  [[ -z $cache ]] || mkdir -p "$cache"
  # What another release than this machine's compiles, the image's build has compiled too, and asks like this (Dockerfile).
  grep -qxF "$(grep ^VERSION_ID= /etc/os-release)" "$BARE_ROOT/etc/os-release" || asks=CCACHE_COMPILERCHECK=content
  # shellcheck disable=SC2016
  bare_contain bash -euc '
    root=$1 clone=$2 cache=$3 asks=$4
    shift 4
    mount -t proc proc "$root/proc"
    mkdir -p "$root/dev/shm"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    # Terminals, as every machine has them.
    mkdir -p "$root/dev/pts"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    [[ -z $cache ]] || mount --bind "$cache" "$root/ccache"
    exec chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      LANG=C.UTF-8 TERM="${TERM:-dumb}" ${CI:+CI="$CI"} CCACHE_DIR=/ccache $asks \
      bash -c "cd \"\$1\" && shift && exec ./dev \"\$@\"" dev "$clone" "$@"
  ' bare "$BARE_ROOT" "$ROOT" "$cache" "$asks" "$@"
}

# bare_report RELEASE SECONDS STATUS COMMAND
bare_report() {
  local list="build/bare/installed-$1.txt"
  bare_installed "$BARE_ROOT" >"$list"
  say "installed beyond the minimal system: $(awk '{ n++; kib += $2 } END { printf "%d packages, %d MiB", n, kib / 1024 }' "$list")"
  cut -d' ' -f1 "$list" | tr '\n' ' ' | fold -s -w 98 | sed 's/^/  /' >&2
  echo >&2
  say "./dev $4 on bare Debian $1: status $3 in $(($2 / 60)) min $(($2 % 60)) s (packages, build and run)"
}
