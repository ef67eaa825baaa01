#!/bin/bash
# test-scripts.sh: does lib.sh see what is missing on a machine with nothing on it? Makes a root of Debian's essential
# packages and apt (mmdebstrap, from the mirror that this machine's apt is configured for), and asks the scripts there,
# without compiling anything. Needs root, and some 200 MB of room for as long as it runs.
#
#   deploy/test-scripts.sh            what is found missing, and whether apt could install it: a minute or two
#   deploy/test-scripts.sh --install  installs it there, too, and asks again: nothing may be missing any more
#   deploy/test-scripts.sh --run SCRIPT
#                                     what a newcomer does: a clone of what is committed, in that root, and SCRIPT of it
#                                     (deploy/demo.sh, deploy/test.sh). Rust, the crates and, if it is there, RocksDB's
#                                     archive are copied from this machine; all else is installed and built. Tens of
#                                     minutes, and gigabytes of room
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source deploy/lib.sh

[ "$(id -u)" = 0 ] || die "this makes a root of its own and needs to be root"
want_command mmdebstrap mmdebstrap "makes a root of Debian's packages"
install_wanted

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

mirror=$(debian_mirror)
site=${mirror% *} release=${mirror#* }

say "a root with nothing in it: $release from $site"
mmdebstrap --quiet --variant=apt "$release" "$root" "$site"

# What every machine has, and how this one reaches the mirror.
echo "127.0.0.1 localhost" >"$root/etc/hosts"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
apt-config dump --format '%F "%v";%n' Acquire::http::Proxy >"$root/etc/apt/apt.conf.d/90proxy"
mkdir -p "$root/jhyde"
cp -r deploy Cargo.lock "$root/jhyde/"
run=
if [ "${1:-}" = --run ]; then
  run=${2:?--run wants the script to run}
  [ -x "$run" ] || die "there is no script $run"
fi
# Runs a script there, with processes of its own: a JDK's installation looks at /proc. The root is a mount and has
# terminals, as a machine has: tests make file systems that are full, and sessions in a terminal.
inside() {
  unshare --mount --pid --fork bash -c '
    set -eu
    root=$1 script=$2
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mkdir -p "$root/dev/pts"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    [ -e "$root/dev/ptmx" ] || ln -s pts/ptmx "$root/dev/ptmx"
    mount --bind "$root/dev/pts/ptmx" "$root/dev/ptmx"
    exec chroot "$root" env -i ${http_proxy:+http_proxy="$http_proxy"} \
      PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root bash -c "cd /jhyde && $script"
  ' inside "$root" "$1" </dev/null
}

if [ -n "$run" ]; then
  say "this machine's Rust, and a clone of what is committed"
  rm -r "$root/jhyde"
  git clone --quiet . "$root/jhyde"
  mkdir -p "$root/root/.cache"
  # All that Cargo.lock names, for whatever is built there: what this machine has built may have been less.
  cargo fetch --locked --quiet
  cp -rL "${RUSTUP_HOME:-$HOME/.rustup}" "$root/root/.rustup"
  cp -rL "${CARGO_HOME:-$HOME/.cargo}" "$root/root/.cargo"
  if [ -d "$jhyde_rocksdb" ]; then
    mkdir -p "$root/root/.cache/jhyde"
    cp -r "$jhyde_rocksdb" "$root/root/.cache/jhyde/"
  fi
  say "$run there"
  inside "$run" || die "$run failed there"
  exit 0
fi

failed=0
# expect WHAT WANTED SCRIPT: what the script prints there.
expect() {
  local said
  said=$(inside "set -euo pipefail; source deploy/lib.sh; $3" 2>&1) || true
  if [ "$said" = "$2" ]; then
    echo "   $1: as it should be"
  else
    printf '   WRONG: %s\n     should be: %s\n     is:        %s\n' "$1" "$2" "$said" >&2
    failed=1
  fi
}
missing='want_build_tools; want_jdk "a reason"; want_command jq jq "a reason"; printf "%s\n" "${wanted_packages[@]}" | paste -sd" "'

say "what is missing there"
expect "file systems can be made" "yes" 'unshare --mount true && echo yes'
expect "terminals can be had" "yes" 'script -qec "test -t 1 && echo yes" /dev/null | tr -d "\r"'
expect "no cargo" "" 'want_build_tools >/dev/null 2>&1 && echo found'
expect "no cargo, in words" "1" 'want_build_tools 2>&1 | grep -c "cargo is not in PATH: install Rust"'
# Rust comes from rustup and not from apt; all that is asked of it here is whether it is there.
printf '#!/bin/sh\necho "this cargo builds nothing" >&2\nexit 1\n' >"$root/usr/local/bin/cargo"
chmod 755 "$root/usr/local/bin/cargo"
expect "no compiler, no libclang" "g++ gcc make libclang-dev jq" \
  "want_build_tools; want_command jq jq r; printf '%s\n' \"\${wanted_packages[@]}\" | paste -sd' '"
expect "no libclang" "no" 'has_libclang && echo yes || echo no'
expect "no JDK" "" find_jdks
# What a machine with a graphics driver has, and what made has_libclang say yes.
touch "$root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || gcc -dumpmachine)/libclang-cpp.so.14"
expect "libclang-cpp is not libclang" "no" 'has_libclang && echo yes || echo no'
expect "a JDK is among what is wanted" "1" 'want_jdk r; printf "%s\n" "${wanted_packages[@]}" | grep -c jdk'
inside "apt-get update -qq" || die "apt there does not reach $site"
wanted=$(inside "set -euo pipefail; source deploy/lib.sh; $missing")
echo "   wanted: $wanted"
inside "apt-get install -s -q --no-install-recommends $wanted" >"$root/simulated" \
  || die "apt there could not install: $wanted"
echo "   apt would install $(grep -c '^Inst ' "$root/simulated") packages for it"

if [ "${1:-}" = --install ]; then
  say "with what is missing installed"
  inside "set -euo pipefail; source deploy/lib.sh; ${missing%; printf*}; install_wanted" >"$root/installed" 2>&1 \
    || { tail -n 20 "$root/installed" >&2; die "install_wanted failed there"; }
  expect "nothing is missing any more" "" "$missing"
  expect "libclang" "yes" 'has_libclang && echo yes || echo no'
  expect "a JDK" "1" 'find_jdks | grep -c .'
  expect "C++ compiles" "42" 'printf "#include <cstdio>\nint main() { std::puts(\"42\"); }\n" >/tmp/a.cc && c++ -o /tmp/a /tmp/a.cc && /tmp/a'
fi

[ "$failed" = 0 ] || die "the scripts do not see what is missing"
echo
echo "the scripts see what is missing"
