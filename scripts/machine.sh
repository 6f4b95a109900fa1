# Sourced by ./dev: a bare root as a machine: systemd is its first process, and it has processes, names
# and a network of its own, which reaches nobody but itself.
# What other scripts read looks unused to shellcheck.
# shellcheck shell=bash disable=SC2034

# What every machine has and debootstrap leaves out.
readonly MACHINE_PACKAGES=(systemd systemd-sysv dbus)
readonly MACHINE_START_LIMIT=60
readonly MACHINE_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# machine_prepare ROOT LOG COMMAND...: in the root before it is started, with this machine's network.
machine_prepare() {
  local root=$1 log=$2
  shift 2
  # shellcheck disable=SC2016
  bare_contain bash -euc '
    root=$1
    shift
    mount -t proc proc "$root/proc"
    exec chroot "$root" env -i PATH='"$MACHINE_PATH"' DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 "$@"
  ' prepare "$root" "$@" >>"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    die "$* failed (log: ${log#"$ROOT"/})"
  }
}

# machine_start ROOT: sets MACHINE_PID, its systemd as this machine sees it. machine_stop ends it.
machine_start() {
  local end=$((SECONDS + MACHINE_START_LIMIT))
  MACHINE_ROOT=$1
  # As mktemp makes it nobody but root may enter it.
  chmod 755 "$MACHINE_ROOT"
  MACHINE_GROUP=tollbridge-machine.$$
  # systemd wants a tree of control groups of its own, a real root, and devices that are its own.
  # shellcheck disable=SC2016
  env --default-signal=INT,QUIT unshare --mount --propagation private bash -euc '
    root=$1 group=$2
    mount -t cgroup2 cgroup2 "$root/sys"
    mkdir -p "$root/sys/$group"
    echo $$ >"$root/sys/$group/cgroup.procs"
    umount "$root/sys"
    exec unshare --mount --propagation private --pid --fork --kill-child --cgroup --uts --ipc --net bash -euc "$3" machine "$root"
  ' machine "$MACHINE_ROOT" "$MACHINE_GROUP" '
    root=$1
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount -t sysfs sysfs "$root/sys"
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
    mount -t tmpfs -o mode=755 tmpfs "$root/run"
    mount -t tmpfs -o mode=755 tmpfs "$root/dev"
    for node in null zero full random urandom tty; do
      : >"$root/dev/$node"
      mount --bind "/dev/$node" "$root/dev/$node"
    done
    mkdir "$root/dev/pts" "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    ln -s pts/ptmx "$root/dev/ptmx"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    hostname machine
    cd "$root"
    mkdir -p .outside
    pivot_root . .outside
    umount -l /.outside
    rmdir /.outside
    exec env -i container=tollbridge PATH='"$MACHINE_PATH"' chroot / /lib/systemd/systemd --unit=multi-user.target
  ' </dev/null >"$ROOT/build/bare/machine.log" 2>&1 &
  MACHINE_CHILD=$!
  # "degraded" too: a unit of Debian's that cannot run in here is none of the machine's business.
  until MACHINE_PID=$(pgrep -P "$MACHINE_CHILD") &&
    [[ $(machine_run timeout 5 systemctl is-system-running 2>/dev/null) =~ ^(running|degraded)$ ]]; do
    kill -0 "$MACHINE_CHILD" 2>/dev/null || die "the machine ended (log: build/bare/machine.log)"
    [[ $SECONDS -lt $end ]] || die "the machine is not up: $(machine_run systemctl list-jobs --no-legend 2>&1)"
    sleep 0.1
  done
  machine_within_reach
}

# machine_run COMMAND...: in it, as root.
machine_run() {
  # shellcheck disable=SC2016
  nsenter --target "$MACHINE_PID" --mount --uts --ipc --net --pid --cgroup --root -- \
    env -i HOME=/root PATH="$MACHINE_PATH" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    bash -c 'cd /root && exec "$@"' machine "$@"
}

# Sets MACHINE_REACH: what stands before a command of this machine to have it run on the network of the
# other, with its names.
machine_within_reach() {
  # shellcheck disable=SC2016
  MACHINE_REACH=(nsenter --target "$MACHINE_PID" --net -- unshare --mount --propagation private bash -euc
    'mount --bind "$1" /etc/hosts && shift && exec "$@"' reach "$MACHINE_ROOT/etc/hosts")
}

# Kills it with all that runs in it.
machine_stop() {
  [[ -n ${MACHINE_CHILD:-} ]] || return 0
  while kill -0 "$MACHINE_CHILD" 2>/dev/null; do
    pkill -KILL -P "$MACHINE_CHILD" || true
    sleep 0.05
  done
  wait "$MACHINE_CHILD" 2>/dev/null || true
  MACHINE_CHILD=''
  # Its control groups are empty now, and stay until they are removed.
  # shellcheck disable=SC2016
  unshare --mount --propagation private bash -c '
    mount -t cgroup2 cgroup2 /sys/fs/cgroup && find "/sys/fs/cgroup/$1" -depth -type d -exec rmdir {} +
  ' machine "$MACHINE_GROUP" 2>/dev/null || true
}
