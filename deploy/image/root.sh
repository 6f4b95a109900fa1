#!/usr/bin/env bash
# root.sh BUILD COMPONENT ROOT: what an image of the component holds, below ROOT: the program, stripped,
# the libraries that it loads, certificate authorities, time zones, the user 65532, and what a scanner
# asks for: the packages that the files are from, and their licences. Its debug symbols go to ROOT's
# neighbour "debug", by build id. For Debian, in a build that is thrown away.
set -euo pipefail

readonly BUILD=$1 COMPONENT=$2 ROOT=$3
readonly PROGRAM=$ROOT/usr/bin/$COMPONENT
DEBUG=$(dirname "$ROOT")/debug

# copy FILE: to where it really is, without the links that lead there.
copy() {
  local folder
  folder=$(readlink -f "$(dirname "$1")")
  mkdir -p "$ROOT$folder"
  cp -Lp "$1" "$ROOT$folder/$(basename "$1")"
}

# libraries: those that the program loads, with the loader, as absolute paths.
libraries() {
  if ldd "$PROGRAM" | grep 'not found' >&2; then return 1; fi
  ldd "$PROGRAM" | sed -nE 's/^\t(.* => )?(\/[^ ]+) .*/\2/p' | sort -u
}

# package FILE: that it is from, by any of the names that lead to it. A file that was moved aside for
# another has a line more, which begins with "diversion".
package() {
  local name owner
  for name in "$1" "$(readlink -f "$1")" "/usr$1" "${1#/usr}"; do
    owner=$(dpkg -S "$name" 2>/dev/null | grep -v '^diversion ' | head -n 1)
    [[ -z $owner ]] || { echo "${owner%%[:,]*}"; return; }
  done
  echo "root.sh: no package owns $1" >&2
  return 1
}

symbols() {
  local id file
  id=$(readelf -n "$PROGRAM" | sed -n 's/^ *Build ID: //p')
  [[ -n $id ]] || { echo "root.sh: $PROGRAM has no build id" >&2; return 1; }
  file=$DEBUG/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
  mkdir -p "$(dirname "$file")"
  objcopy --only-keep-debug --compress-debug-sections "$PROGRAM" "$file"
  strip "$PROGRAM"
}

users() {
  mkdir -p "$ROOT/etc/tollbridge"
  printf '%s\n' 'root:x:0:0:root:/:/sbin/nologin' \
    'tollbridge:x:65532:65532:Tollbridge:/nonexistent:/sbin/nologin' >"$ROOT/etc/passwd"
  printf '%s\n' 'root:x:0:' 'tollbridge:x:65532:' >"$ROOT/etc/group"
  echo 'hosts: files dns' >"$ROOT/etc/nsswitch.conf"
}

# As scanners of images look for them: a file for each package.
packages() {
  local file name
  mkdir -p "$ROOT/var/lib/dpkg/status.d"
  for file in "$@"; do package "$file" || return; done | sort -u | while read -r name; do
    dpkg-query -s "$name" >"$ROOT/var/lib/dpkg/status.d/${name%%:*}"
    copy "/usr/share/doc/${name%%:*}/copyright"
  done
}

rm -rf "$ROOT"
# Of a merged system: the loader is asked for below /lib64.
mkdir -p "$ROOT/usr/bin" "$ROOT/usr/lib" "$ROOT/usr/lib64" "$ROOT/tmp"
ln -s usr/lib "$ROOT/lib"
ln -s usr/lib64 "$ROOT/lib64"
DESTDIR=$ROOT cmake --install "$BUILD" --prefix /usr --component "$COMPONENT" >/dev/null
symbols
loaded=$(libraries)
mapfile -t loaded <<<"$loaded"
for file in "${loaded[@]}"; do copy "$file"; done
# ldd says where the loader is asked for; where that is a link, the program still asks there.
loader=$(readelf -l "$PROGRAM" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
[[ -e $ROOT$loader ]] || { mkdir -p "$(dirname "$ROOT$loader")"; cp -Lp "$loader" "$ROOT$loader"; }
copy /etc/ssl/certs/ca-certificates.crt
mkdir -p "$ROOT/usr/share/zoneinfo"
cp -a /usr/share/zoneinfo/. "$ROOT/usr/share/zoneinfo/"
rm -rf "$ROOT"/usr/share/zoneinfo/{posix,right}
copy /etc/os-release
users
packages "${loaded[@]}" /usr/sbin/update-ca-certificates /usr/share/zoneinfo/UTC /etc/os-release
# From the program of the build: this one has nothing around it yet that could run it.
mkdir -p "$ROOT/usr/share/doc/$COMPONENT"
deploy/sbom.py "$BUILD/bin/$COMPONENT" build/deps >"$ROOT/usr/share/doc/$COMPONENT/$COMPONENT.cdx.json"
deploy/notices.py "$BUILD/bin/$COMPONENT" build/deps "$ROOT/usr/lib" \
  >"$ROOT/usr/share/doc/$COMPONENT/third-party-notices"
# Pages and guides are for people with a shell.
rm -rf "$ROOT/usr/share/doc/$COMPONENT/guides" "$ROOT/usr/share/doc/$COMPONENT/runbooks" \
  "$ROOT/usr/share/man" "$ROOT/usr/share/bash-completion"
