#!/bin/bash
# test-lib.sh: lib.sh's own conditions, on folders made up here. Takes a second; test.sh runs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source deploy/lib.sh

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
failed=0
wrong() {
  echo "   WRONG: $*" >&2
  failed=1
}

# libclang WANTED FILE...: is libclang found in a folder that has these files?
libclang() {
  local wanted=$1 found=no file
  shift
  rm -rf "$made/lib"
  mkdir -p "$made/lib/llvm-14/lib"
  for file; do touch "$made/lib/$file"; done
  # shellcheck disable=SC2034 # has_libclang reads it
  local libclang_roots=("$made/lib")
  if has_libclang; then found=yes; fi
  [ "$found" = "$wanted" ] || wrong "with '$*' libclang is found: $found"
}
unset LIBCLANG_PATH
libclang no
libclang no libclang-cpp.so.14 llvm-14/lib/libclang-cpp.so libclangAST.a
libclang yes libclang.so
libclang yes libclang.so.1
libclang yes libclang-cpp.so.14 llvm-14/lib/libclang-14.so.1
libclang yes libclang-14.so.13
# A link without its library, as it is left when only half of a package is there.
mkdir -p "$made/half" "$made/whole"
ln -s "$made/none.so" "$made/half/libclang.so"
libclang_roots=("$made/half")
! has_libclang || wrong "a link that leads nowhere is taken for libclang"
touch "$made/whole/libclang.so"
LIBCLANG_PATH=$made/whole has_libclang || wrong "the folder that LIBCLANG_PATH names is not looked into"
LIBCLANG_PATH=$made/whole/libclang.so has_libclang || wrong "the file that LIBCLANG_PATH names is not looked at"
! LIBCLANG_PATH=$made/none has_libclang || wrong "LIBCLANG_PATH names nothing, and libclang is found"

# How far RocksDB is: what is compiled since the build began counts, and is said now and then.
CARGO_TARGET_DIR=$made/target
out=$CARGO_TARGET_DIR/debug/build/librocksdb-sys-1/out
mkdir -p "$out"
touch -d '1 hour ago' "$out/old.o"
compile() {
  sleep 0.3
  touch "$out/a.o" "$out/b.o"
  sleep 1
  return 7
}
status=0
said=$(unset ROCKSDB_LIB_DIR && JHYDE_WATCH_PACE=0.2 building compile 2>&1) || status=$?
[ "$status" = 7 ] || wrong "the build's exit code is $status"
grep -q 'RocksDB: 2 of [a-z0-9 ]* files compiled after 0 min' <<<"$said" || wrong "how far the build is: '$said'"
[ "$(grep -c . <<<"$said")" = 1 ] || wrong "the same is said twice: '$said'"
said=$(ROCKSDB_LIB_DIR=$made JHYDE_WATCH_PACE=0.1 building true 2>&1)
[ -z "$said" ] || wrong "nothing is compiled, and it is said: '$said'"

[ "$failed" = 0 ] || die "lib.sh does not do what it says"
echo "   lib.sh: its conditions hold"
