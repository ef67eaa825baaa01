# Sourced by demo.sh and test.sh: installing what is missing, finding JDKs, building, keeping what
# took long to build. Nothing here runs by itself, except that env.sh is sourced and the target
# folder is chosen. Callers run under `set -euo pipefail`.

# shellcheck source=deploy/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# Outside the checkout: a fresh clone finds the last one's build.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$jhyde_cache/target}"

say() { printf '\n== %s\n' "$*"; }
die() { printf '\nerror: %s\n' "$*" >&2; exit 1; }

# --- Debian packages -------------------------------------------------------------------------

has_package() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Collects "package: reason" lines; install_wanted then does everything with one apt-get.
wanted_packages=()
wanted_reasons=()

# want PACKAGE REASON: if it is not installed.
want() {
  if ! has_package "$1"; then
    wanted_packages+=("$1")
    wanted_reasons+=("$1: $2")
  fi
}

# want_command COMMAND PACKAGE REASON: if the command is not there, wherever it comes from.
want_command() { command -v "$1" >/dev/null 2>&1 || want "$2" "$3"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    die "this needs root, and there is no sudo. As root, run: $*"
  fi
}

install_wanted() {
  [ ${#wanted_packages[@]} -gt 0 ] || return 0
  say "installing what is missing"
  printf '   %s\n' "${wanted_reasons[@]}"
  command -v apt-get >/dev/null 2>&1 \
    || die "there is no apt-get here: install these (or what they are called on your system) by hand and run this again"
  # No standard input: apt-get must not eat the script's, nor ask anything.
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null \
    || die "apt-get update failed: is this machine allowed to reach its package mirror?"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${wanted_packages[@]}" </dev/null \
    || die "apt-get could not install: ${wanted_packages[*]}"
  wanted_packages=()
  wanted_reasons=()
}

# --- what a build needs ----------------------------------------------------------------------

has_libclang() {
  [ -n "${LIBCLANG_PATH:-}" ] && return
  local found
  found=$(find /usr/lib /usr/local/lib -name 'libclang*.so*' 2>/dev/null | head -n 1)
  [ -n "$found" ]
}

want_build_tools() {
  command -v cargo >/dev/null 2>&1 || {
    [ -r "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"
  }
  command -v cargo >/dev/null 2>&1 || die "cargo is not in PATH: install Rust 1.90 or newer (https://rustup.rs) and run this again"
  want_command c++ g++ "RocksDB is C++: compiled once, and linked"
  want_command cc gcc "links what cargo builds"
  want_command make make "jemalloc, the daemon's allocator, is compiled by it"
  has_libclang || want libclang-dev "RocksDB's C header is read by bindgen, which needs libclang"
}

# --- JDKs ------------------------------------------------------------------------------------

jdk_major() {
  local v
  v=$("$1/bin/javac" -version 2>&1) || return 1
  v=${v#javac }
  v=${v#1.}
  printf '%s' "${v%%[!0-9]*}"
}

# All JDKs' homes, a line each, the oldest first: those that JHYDE_JDKS lists (separated by
# colons), else JAVA_HOME's, javac's in PATH and all in /usr/lib/jvm. Each only once.
find_jdks() {
  local homes=() home javac
  if [ -n "${JHYDE_JDKS:-}" ]; then
    IFS=: read -r -a homes <<<"$JHYDE_JDKS"
  else
    [ -z "${JAVA_HOME:-}" ] || homes+=("$JAVA_HOME")
    homes+=(/usr/lib/jvm/*)
    javac=$(command -v javac || true)
    [ -z "$javac" ] || homes+=("$(dirname "$(dirname "$(readlink -f "$javac")")")")
  fi
  for home in "${homes[@]}"; do
    [ -x "$home/bin/javac" ] && [ -x "$home/bin/java" ] && printf '%s %s\n' "$(jdk_major "$home")" "$(readlink -f "$home")"
  done | sort -n -u | cut -d' ' -f2- || true
}

# want_jdk REASON: one that Debian has, if there is none at all.
want_jdk() {
  [ -z "$(find_jdks)" ] || return 0
  local p
  for p in openjdk-25-jdk-headless openjdk-21-jdk-headless openjdk-17-jdk-headless; do
    if apt-cache policy "$p" 2>/dev/null | grep -q 'Candidate: [0-9]'; then
      want "$p" "$1"
      return
    fi
  done
  want default-jdk-headless "$1"
}

# Sets JHYDE_JDKS to all that were found, for everything that this script starts, and ends with a
# clear message where a version that JHYDE_REQUIRE_JDKS ("17 25") names is missing.
choose_jdks() {
  local homes majors=" " home need
  homes=$(find_jdks)
  [ -n "$homes" ] || die "no JDK found (a folder with bin/javac and bin/java): set JAVA_HOME, or JHYDE_JDKS=HOME:HOME"
  while IFS= read -r home; do
    majors+="$(jdk_major "$home") "
  done <<<"$homes"
  for need in ${JHYDE_REQUIRE_JDKS:-}; do
    case $majors in
      *" $need "*) ;;
      *) die "JDK $need is demanded (JHYDE_REQUIRE_JDKS) and was not found; there is:$majors. Install it, or list its home in JHYDE_JDKS" ;;
    esac
  done
  JHYDE_JDKS=$(paste -sd: <<<"$homes")
  export JHYDE_JDKS
}

# "17 (/usr/lib/jvm/...), 25 (...)", for people.
jdks_for_people() {
  local home sep=
  while IFS= read -r home; do
    printf '%s%s (%s)' "$sep" "$(jdk_major "$home")" "$home"
    sep=', '
  done < <(tr : '\n' <<<"$JHYDE_JDKS")
  echo
}

# --- RocksDB's archive -----------------------------------------------------------------------

# Keeps what a build of librocksdb-sys compiled, where env.sh looks for it the next time. Only
# an archive whose build script came to its end counts (cargo writes its output then).
keep_rocksdb() {
  [ -n "$jhyde_rocksdb_version" ] && [ ! -f "$jhyde_rocksdb/librocksdb.a" ] || return 0
  local archive
  while IFS= read -r archive; do
    if [ -f "$(dirname "$(dirname "$archive")")/output" ]; then
      mkdir -p "$jhyde_rocksdb"
      # Renamed into place: another build must never link half an archive.
      cp "$archive" "$jhyde_rocksdb/.new.$$" && mv "$jhyde_rocksdb/.new.$$" "$jhyde_rocksdb/librocksdb.a"
      say "kept RocksDB's archive in $jhyde_rocksdb: later builds need not compile it"
      return 0
    fi
  done < <(ls -t "$CARGO_TARGET_DIR"/*/build/librocksdb-sys-*/out/librocksdb.a 2>/dev/null)
}

# Says what will take long, before it does.
announce_build() {
  if [ -z "${ROCKSDB_LIB_DIR:-}" ]; then
    say "$1 (compiles RocksDB once: 10 to 25 minutes; its archive is then kept in $jhyde_cache)"
  else
    say "$1"
  fi
}
