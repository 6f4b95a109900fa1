# Sourced by ./dev: installs what the build and the tests need, on Debian 12 and 13.
#
# The machine's own apt set-up is left alone: every apt call works on a private source list in
# build/.setup, whose mirror is the one the machine is configured with. Two libraries whose Debian 12
# packages are unusable (see docs/dependencies.md) are built from Debian 13's source packages into
# build/deps/<name>, as static libraries, on both releases.
# shellcheck shell=bash

readonly SETUP_DIR="$ROOT/build/.setup"
readonly DEPS_DIR="$ROOT/build/deps"

# The pinned upstream versions; Debian's revision after it (a security fix) may move.
readonly LIBRDKAFKA_VERSION=2.8.0
readonly HIREDIS_VERSION=1.2.0
readonly SOURCE_SUITE=trixie

# What ./dev demo needs: compiler, libraries, redis-server, curl.
readonly BUILD_PACKAGES=(
  clang-19 cmake ninja-build mold ccache pkg-config dpkg-dev git ca-certificates
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc libabsl-dev
  libboost1.83-dev libboost-json1.83-dev libboost-url1.83-dev
  opentelemetry-cpp-dev prometheus-cpp-dev libyaml-cpp-dev libcli11-dev libnghttp2-dev
  libjemalloc-dev libssl-dev zlib1g-dev libisal-dev libzstd-dev
  openssl redis-server curl
)
# What ./dev test needs beyond that. llvm-19 has the symbolizer, without which the sanitizers'
# suppressions by function name match nothing.
readonly TEST_PACKAGES=(
  libgtest-dev libgmock-dev libclang-rt-19-dev llvm-19 kafkacat liblua5.1-0-dev nghttp2-client prometheus
  prometheus-alertmanager
)
readonly LINT_PACKAGES=(clang-format-19 clang-tidy-19 shellcheck)
# Headers that a machine mostly has already, maybe in an older version than a machine that is set up
# today. They come to the newest with whatever is installed, so that both share the compiler's cache.
readonly HEADER_PACKAGES=(libc6-dev linux-libc-dev libssl-dev zlib1g-dev)
# What makes a bare Debian to try a command in.
readonly BARE_PACKAGES=(debootstrap)

# What builds and tries images, and what packs.
readonly IMAGE_PACKAGES=(buildah debootstrap docker-compose)
readonly PACKAGE_PACKAGES=(debhelper groff-base help2man python3 python3-venv systemd)

readonly SETUP_GROUPS=(build test lint bare image package)

# setup_packages GROUP: the packages of a group, one a line. Java, Maven, Python and npm are taken
# from apt only where the machine has none of its own.
setup_packages() {
  case $1 in
    build) printf '%s\n' "${BUILD_PACKAGES[@]}" ;;
    test)
      printf '%s\n' "${TEST_PACKAGES[@]}"
      java_is_new_enough || echo default-jre-headless
      command -v mvn >/dev/null || echo maven
      python3 -c 'import ensurepip, venv' 2>/dev/null || printf '%s\n' python3 python3-venv
      ;;
    lint)
      printf '%s\n' "${LINT_PACKAGES[@]}"
      command -v npm >/dev/null || echo npm
      ;;
    bare) printf '%s\n' "${BARE_PACKAGES[@]}" ;;
    image) printf '%s\n' "${IMAGE_PACKAGES[@]}" ;;
    package) printf '%s\n' "${PACKAGE_PACKAGES[@]}" ;;
  esac
}

# A Java that apt installed counts as ours, so that the list of packages does not change with it.
java_is_new_enough() {
  [[ -e $SETUP_DIR/java-from-apt ]] && return 1
  local release home
  command -v java >/dev/null || { mkdir -p "$SETUP_DIR" && : >"$SETUP_DIR/java-from-apt"; return 1; }
  home=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
  release=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
  [[ ${release:-0} -ge 17 ]] || { mkdir -p "$SETUP_DIR" && : >"$SETUP_DIR/java-from-apt"; return 1; }
}

# setup_group GROUP...: brings the groups up to date; does nothing within a second when they are.
setup_group() {
  local group packages missing
  for group in "$@"; do
    [[ " ${SETUP_GROUPS[*]} " == *" $group "* ]] ||
      die "no such set-up group: '$group'; there are ${SETUP_GROUPS[*]}"
  done
  mkdir -p "$SETUP_DIR"
  exec {setup_lock}>"$SETUP_DIR/lock"
  flock "$setup_lock"
  packages=()
  for group in "$@"; do
    mapfile -t -O "${#packages[@]}" packages < <(setup_packages "$group")
  done
  mapfile -t missing < <(missing_packages "${packages[@]}")
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
  for group in "$@"; do
    [[ $group != build ]] || build_static_dependencies
  done
  exec {setup_lock}>&-
}

# Those of the arguments that are not installed, by one dpkg-query call.
missing_packages() {
  local installed package
  declare -A installed=()
  while read -r package; do
    installed[$package]=1
  done < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p')
  for package in "$@"; do
    [[ -n ${installed[$package]:-} ]] || echo "$package"
  done
}

install_packages() {
  local as_root=()
  if [[ $EUID -ne 0 ]]; then
    if sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      die "these packages are missing, and installing them needs root: $*"
    fi
  fi
  say "installing ${#} packages: $*"
  private_apt update -qq || die "cannot read the package lists"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${APT_OPTIONS[@]}" \
    install -y -qq --no-install-recommends "$@" "${HEADER_PACKAGES[@]}" \
    >"$SETUP_DIR/install.log" 2>&1 || {
    tail -n 30 "$SETUP_DIR/install.log" >&2
    die "installing failed (log: build/.setup/install.log)"
  }
}

private_apt() {
  write_source_list
  apt-get "${APT_OPTIONS[@]}" "$@"
}

APT_OPTIONS=(
  -o "Dir::Etc::sourcelist=$SETUP_DIR/sources.list"
  -o "Dir::Etc::sourceparts=-"
  -o "Dir::State::lists=$SETUP_DIR/lists"
  -o "Dir::Cache=$SETUP_DIR/cache"
  -o "APT::Sandbox::User=root"
  -o "DPkg::Lock::Timeout=300"
)

# One private list: the machine's release with its updates and security fixes, on Debian 12 the
# backports too, and the source packages of Debian 13.
write_source_list() {
  local archive security codename keyring options=''
  mkdir -p "$SETUP_DIR/lists/partial" "$SETUP_DIR/cache/archives/partial"
  # shellcheck disable=SC1091
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  archive=$(configured_mirror 'debian') || true
  security=$(configured_mirror 'debian-security') || true
  [[ -n $archive && -n $codename ]] || die "found no Debian mirror in the machine's apt configuration"
  for keyring in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
    [[ ! -e $keyring ]] || options="[signed-by=$keyring] "
  done
  {
    echo "deb $options$archive $codename main"
    echo "deb $options$archive $codename-updates main"
    [[ -z $security ]] || echo "deb $options$security $codename-security main"
    [[ $codename != bookworm ]] || echo "deb $options$archive $codename-backports main"
    echo "deb-src $options$archive $SOURCE_SUITE main"
    echo "deb-src $options$archive $SOURCE_SUITE-updates main"
    [[ -z $security ]] || echo "deb-src $options$security $SOURCE_SUITE-security main"
  } >"$SETUP_DIR/sources.list"
}

# configured_mirror PATH: the first address that ends in PATH, from deb822 files or classic lists.
configured_mirror() {
  cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
    2>/dev/null |
    sed -nE "s/^(URIs:|deb( +\[[^]]*\])?) +([^ ]*\/$1(\.list)?\/?)( .*)?\$/\3/p" | head -n 1
}

# librdkafka and hiredis as static, position-independent libraries, each into its own prefix.
build_static_dependencies() {
  build_from_source librdkafka "$LIBRDKAFKA_VERSION" \
    -DRDKAFKA_BUILD_STATIC=ON -DRDKAFKA_BUILD_EXAMPLES=OFF -DRDKAFKA_BUILD_TESTS=OFF \
    -DWITH_C11THREADS=OFF -DWITH_SSL=ON -DWITH_SASL=OFF -DWITH_SASL_SCRAM=ON -DWITH_CURL=OFF -DWITH_ZLIB=ON \
    -DWITH_ZSTD=ON -DENABLE_LZ4_EXT=OFF
  build_from_source hiredis "$HIREDIS_VERSION" \
    -DENABLE_SSL=ON -DBUILD_SHARED_LIBS=OFF -DDISABLE_TESTS=ON -DENABLE_EXAMPLES=OFF
}

# build_from_source NAME VERSION CMAKE_OPTIONS...: with our patches to that version, cmake/patches/NAME-VERSION-*,
# hardened as what ships (scripts/hardening.sh). Again when any of that changes, and when Debian has revised
# its source package, which is looked for once a day. By ccache, so that another root, or a changed patch,
# compiles only what is new.
build_from_source() {
  local name=$1 version=$2 prefix="$DEPS_DIR/$1" work="$SETUP_DIR/src-$1" started=$SECONDS
  local stamp full patches file flags
  shift 2
  mapfile -t patches < <(compgen -G "$ROOT/cmake/patches/$name-$version-*.patch" | LC_ALL=C sort)
  flags=$(hardening_flags)
  stamp="$name $version $* $flags recipe 4"
  [[ ${#patches[@]} -eq 0 ]] || stamp+=" patches $(cat "${patches[@]}" | sha256sum | cut -d' ' -f1)"
  if [[ -e $prefix/.stamp && $(head -n 1 "$prefix/.stamp") == "$stamp" ]]; then
    [[ -z $(find "$prefix/.looked" -mmin -1440 2>/dev/null) ]] || return 0
    full=$(source_revision "$name" "$version") || {
      say "cannot tell whether Debian has revised $name: what is there stays"
      return 0
    }
    : >"$prefix/.looked"
    [[ $(tail -n 1 "$prefix/.stamp") != "debian $full" ]] || return 0
  else
    full=$(source_revision "$name" "$version") || die "the mirror has no source package $name $version"
  fi
  say "building $name $full"
  rm -rf "$work" "$prefix"
  mkdir -p "$work" "$DEPS_DIR"
  (
    cd "$work"
    private_apt source -qq --only-source "$name=$full"
    cd "$name-$version"
    for file in "${patches[@]}"; do patch -p1 <"$file" || exit; done
    export CCACHE_BASEDIR="$work" CCACHE_NOHASHDIR=1
    cmake -S . -B ../build -G Ninja -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
      -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
      -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_C_COMPILER_LAUNCHER=ccache \
      "-DCMAKE_C_FLAGS=$flags -ffile-prefix-map=$work=$name" \
      "-DCMAKE_CXX_FLAGS=$flags -ffile-prefix-map=$work=$name" \
      -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@"
    cmake --build ../build
    cmake --install ../build
    install -D -m 644 debian/copyright "$prefix/copyright"
  ) >"$SETUP_DIR/$name.log" 2>&1 || {
    tail -n 30 "$SETUP_DIR/$name.log" >&2
    die "building $name failed (log: build/.setup/$name.log)"
  }
  rm -rf "$work"
  printf '%s\ndebian %s\n' "$stamp" "$full" >"$prefix/.stamp"
  : >"$prefix/.looked"
  say "built $name in $((SECONDS - started)) s"
}

# source_revision NAME VERSION: the newest of Debian's revisions of an upstream version, as 2.8.0-1+deb13u1.
source_revision() {
  local full read="$SETUP_DIR/sources-read"
  write_source_list
  # Once for all that ask: each asks in a shell of its own.
  if [[ -z $(find "$read" -mmin -60 2>/dev/null) ]] || ! cmp -s "$read" "$SETUP_DIR/sources.list"; then
    private_apt update -qq >&2 || return
    cp "$SETUP_DIR/sources.list" "$read"
  fi
  full=$(apt-cache "${APT_OPTIONS[@]}" showsrc --only-source "$1" |
    sed -n "s/^Version: \($2-.*\)/\1/p" | sort -V | tail -n 1)
  [[ -n $full ]] && echo "$full"
}
