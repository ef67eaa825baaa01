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

# "http://deb.debian.org/debian bookworm": where this machine gets the packages from that Debian itself has.
debian_mirror() {
  local found
  # shellcheck disable=SC2016 # apt-get expands it
  found=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(LABEL)' 'Created-By: Packages' 2>/dev/null \
    | awk '$3 == "Debian" && $2 !~ /-/ { print $1, $2; exit }')
  [ -n "$found" ] || die "apt on this machine knows no Debian mirror: apt-get update?"
  printf '%s' "$found"
}

# --- what a build needs ----------------------------------------------------------------------

# What bindgen loads (clang-sys, by these names): libclang.so, libclang.so.14, libclang-14.so, libclang-14.so.13, in the
# folder or under the name that LIBCLANG_PATH says, too. libclang-cpp.so.14, which many machines have besides, is
# another library, and a link that leads nowhere is none.
has_libclang() {
  local found
  found=$(find -L ${LIBCLANG_PATH:+"$LIBCLANG_PATH"} "${libclang_roots[@]}" -type f \
    \( -name 'libclang.so' -o -name 'libclang.so.*' -o -name 'libclang-[0-9]*.so' -o -name 'libclang-[0-9]*.so.*' \) \
    -print -quit 2>/dev/null || true)
  [ -n "$found" ]
}
libclang_roots=(/usr/lib /usr/local/lib)

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

# --- Node, for the page --------------------------------------------------------------------

# The page is built and tested with it; the daemon and `cargo build` need none.
node_wanted=20.19

# node_enough NODE: is it that new?
node_enough() {
  local have
  have=$("$1" --version 2>/dev/null) || return 1
  [ "$(printf '%s\n' "$node_wanted" "${have#v}" | sort -V | head -1)" = "$node_wanted" ]
}

node_kept() { printf '%s' "$jhyde_cache/node/node_modules/node-linux-$([ "$(uname -m)" = aarch64 ] && echo arm64 || echo x64)/bin"; }

# npm; with an old Node, as distributions have, it fetches a newer one.
want_node() {
  want_command npm npm "builds the page"
}

# Puts a Node that is new enough into PATH. The distribution's npm gets one from its registry where the distribution's is not.
choose_node() {
  if ! node_enough node; then
    if ! node_enough "$(node_kept)/node"; then
      say "Node $node_wanted or newer (there is $(node --version 2>/dev/null || echo none))"
      npm install --prefix "$jhyde_cache/node" --ignore-scripts --no-audit --no-fund --loglevel=error "$(basename "$(dirname "$(node_kept)")")@22" </dev/null \
        || die "npm could not get a newer Node: install Node $node_wanted or newer by hand and run this again"
    fi
    export PATH="$(node_kept):$PATH"
  fi
  node_enough node || die "Node $node_wanted or newer is needed, and $(command -v node) is $(node --version)"
}

# --- Python, for the client ------------------------------------------------------------------

# Debian's can make no virtual environments before python3-venv is there, though it has the module.
want_python() {
  want_command python3 python3 "the Python client and its oracles are tested"
  python3 -c 'import venv, ensurepip' 2>/dev/null || want python3-venv "the Python client's wheel is built and installed by deploy/python.sh"
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

# building COMMAND...: runs it, and says from time to time how far RocksDB is while that is compiled: twenty silent
# minutes look like a hang. Twice a minute where somebody looks on, every three minutes in a log.
#
# Less of RocksDB cannot be had cleanly: librocksdb-sys compiles the whole list in its build script and has no feature
# that leaves anything out. Of the archive's 338 objects the C interface alone, which every user links, needs 288 (followed
# by nm from symbol to symbol; backups and transactions are among them); the other 50 are small.
building() {
  local status=0 watcher
  if [ -n "${ROCKSDB_LIB_DIR:-}" ]; then
    "$@"
    return
  fi
  mkdir -p "$CARGO_TARGET_DIR"
  touch "$CARGO_TARGET_DIR/.building"
  watch_rocksdb &
  watcher=$!
  "$@" || status=$?
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  return "$status"
}

# Until it is killed, or the script has ended.
watch_rocksdb() {
  local pace=180 all ready last=0 begun=$SECONDS sleeper
  [ ! -t 2 ] || pace=30
  trap 'kill "$sleeper" 2>/dev/null; exit 0' TERM
  while kill -0 "$$" 2>/dev/null; do
    sleep "${JHYDE_WATCH_PACE:-$pace}" &
    sleeper=$!
    wait "$sleeper"
    ready=$(rocksdb_objects)
    if [ "$ready" != "$last" ]; then
      all=$(rocksdb_sources)
      [ "$all" != 0 ] || all='some 340'
      echo "   RocksDB: $ready of $all files compiled after $(((SECONDS - begun) / 60)) min" >&2
      last=$ready
    fi
  done
}

# How many files there are to compile: librocksdb-sys has a list of them. 0 before cargo has fetched it.
rocksdb_sources() {
  cat "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"librocksdb-sys-$jhyde_rocksdb_version"/rocksdb_lib_sources.txt 2>/dev/null | grep -c . || true
}

# How many are compiled, in the folder that this build writes.
rocksdb_objects() {
  find "$CARGO_TARGET_DIR" -path '*/build/librocksdb-sys-*/out/*.o' -newer "$CARGO_TARGET_DIR/.building" 2>/dev/null | wc -l
}
