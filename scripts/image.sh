# Sourced by ./dev: the container images, built by buildah without an engine, and tried.
# Functions that demo_wait is given look unreachable to shellcheck, and what other scripts set unset.
# shellcheck shell=bash disable=SC2317,SC2153,SC2034

readonly IMAGE_DIR="$ROOT/build/image"
readonly IMAGE_BASE=localhost/debian:trixie-slim
# Who an image runs as.
readonly IMAGE_USER=65532
# The most that an image may hold, unpacked, in MB.
readonly -A IMAGE_LIMITS=([tollbridge]=60 [tollbridge-sandbox]=45)

image_buildah() {
  setpriv --pdeathsig TERM -- buildah --root "$IMAGE_DIR/storage" --runroot "$IMAGE_DIR/run" --storage-driver overlay \
    --registries-conf "$IMAGE_DIR/registries.conf" "$@"
}

# The images are what is left in the storage: localhost/tollbridge:VERSION, localhost/tollbridge-sandbox:VERSION.
image_command() {
  [[ $# -eq 0 ]] || die "usage: ./dev image; not: $*"
  [[ $EUID -eq 0 ]] || die "./dev image wants root: it makes root file systems and enters them"
  setup_group build image
  image_composition
  mkdir -p "$IMAGE_DIR"
  exec {image_lock}>"$IMAGE_DIR/.lock"
  flock -n "$image_lock" || die "another ./dev image is at work"
  echo 'unqualified-search-registries = ["localhost"]' >"$IMAGE_DIR/registries.conf"
  IMAGE_MOUNTED=() IMAGE_BASE_ROOT=''
  # Once: a commit may come while they are built.
  IMAGE_REVISION=$(product_revision)
  BARE_CHILD='' IMAGE_CHILD=''
  trap image_leave EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  image_base
  image_build tollbridge
  image_build tollbridge-sandbox
  image_mount
  local name
  for name in "${!IMAGE_LIMITS[@]}"; do image_check "$name"; done
  image_try
}

# Against compose's own schema, which must refuse a misspelt key. (What is in it, deploy_e2e_test compares
# with the programs.)
image_composition() {
  local file=deploy/compose/compose.yaml found
  docker-compose --file "$file" --profile setup config --quiet || die "$file is no composition"
  found=$(sed 's/healthcheck:/heathcheck:/' "$file" | docker-compose --file - --project-directory deploy/compose config --quiet 2>&1) &&
    die "a misspelt key of $file is not found"
  [[ $found == *heathcheck* ]] || die "a misspelt key of $file is not named: $found"
}

image_leave() {
  trap '' HUP INT TERM
  if [[ -n $IMAGE_CHILD ]]; then
    kill "$IMAGE_CHILD" 2>/dev/null || true
    wait "$IMAGE_CHILD" || true
  fi
  [[ -z $BARE_CHILD ]] || bare_kill
  rm -rf --one-file-system "$IMAGE_BASE_ROOT"
  [[ -z ${DEMO_DIR:-} ]] || demo_stop
  local container
  for container in "${IMAGE_MOUNTED[@]}"; do
    image_buildah umount "$container" >/dev/null 2>&1 || true
    image_buildah rm "$container" >/dev/null 2>&1 || true
  done
}

# A minimal Debian that reaches the network as this machine does.
image_base() {
  ! image_buildah images -q "$IMAGE_BASE" >/dev/null 2>&1 || return 0
  local mirror container
  mirror=$(configured_mirror debian) || true
  [[ -n $mirror ]] || die "found no Debian mirror in the machine's apt configuration"
  IMAGE_BASE_ROOT=$(mktemp -d "$IMAGE_DIR/base.XXXXXX")
  bare_make_root trixie "$mirror" "$IMAGE_BASE_ROOT" || die "making the root failed (log: build/bare/debootstrap-trixie.log)"
  container=$(image_buildah from scratch)
  image_buildah add -q "$container" "$IMAGE_BASE_ROOT" / >/dev/null
  image_buildah commit -q --rm "$container" "$IMAGE_BASE" >/dev/null
}

# image_build TARGET
image_build() {
  local started=$SECONDS cache log="$IMAGE_DIR/$1.log"
  cache=$(ccache -k cache_dir)
  mkdir -p "$cache"
  say "building the image $1"
  # The compiler's cache is this machine's; a host name and time zone of the build are in no file.
  BUILDAH_ISOLATION=chroot image_buildah bud --pull-never --layers --target "$1" \
    --build-arg BASE="$IMAGE_BASE" --build-arg VERSION="$(product_version)" \
    --build-arg REVISION="$IMAGE_REVISION" --volume "$cache:/root/.cache/ccache" \
    --timestamp "$(git log -1 --format=%ct)" --tag "localhost/$1:$(product_version)" "$ROOT" >"$log" 2>&1 &
  IMAGE_CHILD=$!
  # In the background, because a shell that waits for a command in the foreground heeds no signal.
  wait "$IMAGE_CHILD" || {
    IMAGE_CHILD=''
    tail -n 40 "$log" >&2
    die "building the image failed (log: ${log#"$ROOT"/})"
  }
  IMAGE_CHILD=''
  say "built it in $((SECONDS - started)) s"
}

# Sets IMAGE_ROOTS: where the content of each image can be read.
image_mount() {
  local name container
  declare -gA IMAGE_ROOTS
  for name in "${!IMAGE_LIMITS[@]}"; do
    container=$(image_buildah from --pull-never "localhost/$name:$(product_version)")
    IMAGE_MOUNTED+=("$container")
    IMAGE_ROOTS[$name]=$(image_buildah mount "$container")
  done
}

# image_check NAME: what can be said of an image without running it.
image_check() {
  local name=$1 root=${IMAGE_ROOTS[$1]} bytes found config
  bytes=$(du -sb --apparent-size "$root" | cut -f1)
  say "$name: $((bytes / 1000000)) MB unpacked, of ${IMAGE_LIMITS[$name]}; the program $(($(stat -c %s "$root/usr/bin/$name") / 1000000)) MB, $(find "$root" -name '*.so*' -type f | wc -l) libraries"
  [[ $bytes -le $((${IMAGE_LIMITS[$name]} * 1000000)) ]] || die "$name is over ${IMAGE_LIMITS[$name]} MB"
  found=$(find "$root" -type f -perm /0111 ! -name '*.so*' ! -path "$root/usr/bin/$name")
  [[ -z $found ]] || die "$name has other programs: $found"
  found=$(find "$root" \( -perm /6000 -o ! -user 0 -o -perm /0022 ! -type l ! -path "$root/tmp" \) -print)
  [[ -z $found ]] || die "$name has files that are not root's alone: $found"
  found=$(grep -rlaF -e /src/tollbridge -e "$ROOT" "$root/usr" || true)
  [[ -z $found ]] || die "$name has paths of the build in it: $found"
  ! readelf -S "$root/usr/bin/$name" | grep '\.debug_' >/dev/null || die "$name is not stripped"
  [[ -n $(find "$root/usr/share/doc" -name copyright) ]] || die "$name has no licences of its libraries"
  grep -q '^librdkafka$' "$root/usr/share/doc/$name/third-party-notices" || die "$name has no notices of its parts"
  config=$(image_buildah inspect --type image --format \
    '{{.OCIv1.Config.User}} {{.OCIv1.Config.StopSignal}} {{index .OCIv1.Config.Labels "org.opencontainers.image.revision"}} {{index .OCIv1.Config.Labels "org.opencontainers.image.version"}}' \
    "localhost/$name:$(product_version)")
  [[ $config == "$IMAGE_USER:$IMAGE_USER SIGTERM $IMAGE_REVISION $(product_version)" ]] ||
    die "$name: user, stop signal, revision or version are not as they should be: $config"
}

# image_program NAME: writes a command that runs the image's program as an engine would: on its root,
# read-only, as its user, with this machine's network. What tests give it lies below build/.
image_program() {
  cat >"$IMAGE_DIR/bin/$1" <<PROGRAM
#!/usr/bin/env bash
# Runs /usr/bin/$1 of the image.
chown -R $IMAGE_USER "$ROOT"/build/*/secrets 2>/dev/null
exec unshare --mount --propagation private bash -euc '
  work=$IMAGE_DIR/work
  mount -t tmpfs tmpfs "\$work"
  mkdir -p "\$work"/{upper/proc,upper/dev,work,root} "\$work/upper$ROOT/build"
  mount -t overlay overlay -o "lowerdir=${IMAGE_ROOTS[$1]},upperdir=\$work/upper,workdir=\$work/work" "\$work/root"
  mount -o remount,ro "\$work/root"
  mount -t proc -o ro proc "\$work/root/proc"
  mount --bind "$ROOT/build" "\$work/root$ROOT/build"
  exec chroot --userspec=$IMAGE_USER:$IMAGE_USER --groups= "\$work/root" /usr/bin/$1 "\$@"
' image "\$@"
PROGRAM
  chmod +x "$IMAGE_DIR/bin/$1"
}

# Runs both, pays an order, and asks /readyz while the gateway ends.
image_try() {
  local name
  mkdir -p "$IMAGE_DIR/bin" "$IMAGE_DIR/work"
  for name in "${!IMAGE_LIMITS[@]}"; do image_program "$name"; done
  BIN=$IMAGE_DIR/bin SHOWN_BIN=build/image/bin
  [[ $("$BIN/tollbridge" --version) == "tollbridge $(product_version) (commit $IMAGE_REVISION)" ]] ||
    die "--version says: $("$BIN/tollbridge" --version)"
  demo_take_folder image-try
  demo_start_embedded
  demo_write_secrets
  demo_write_config
  sed -i 's/drain_delay: 0s/drain_delay: 3s/' "$DEMO_DIR/tollbridge.yaml"
  demo_prepare init-store.log init-store --first-installation
  demo_start_gateway
  local gateway=$DEMO_PID order
  demo_pay_one_order >"$DEMO_DIR/paid.log"
  order=$(sed -n 's/^  order \([^ ]*\) is new.*/\1/p' "$DEMO_DIR/paid.log")
  say "paid an order as user $(stat -c %u "/proc/$gateway") on a read-only root"
  ! grep -qs . "$DEMO_DIR/gateway.err" || die "the gateway wrote to standard error: build/image-try/gateway.err"

  local ready=${METRICS_URL%/metrics}/readyz
  [[ $(curl -sS -o /dev/null -w '%{http_code}' "$ready") == 200 ]] || die "/readyz is not 200"
  kill -TERM "$gateway"
  image_is_leaving() { [[ $(curl -sS -o /dev/null -w '%{http_code}' "$ready") == 503 ]]; }
  demo_wait 3 "the 503 of /readyz" gateway.log image_is_leaving
  "$BIN/tollbridge" call Payments.GetOrder "{\"order_id\": \"$order\"}" --address "$GRPC_ADDR" \
    >"$DEMO_DIR/draining.json" || die "a call is not taken while the gateway drains"
  demo_forget_last
  local status=0
  wait "$gateway" || status=$?
  [[ $status -eq 0 ]] || die "the gateway ended with $status after SIGTERM"
  say "/readyz: 200, after SIGTERM 503 while calls were taken; then it ended with 0"
  demo_stop
  DEMO_DIR=
}
