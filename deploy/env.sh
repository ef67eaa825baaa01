# Sourced by the scripts here and by anyone who builds: where RocksDB's compiled archive is kept.
# RocksDB takes over twenty CPU-minutes to compile; the archive of an earlier build, keyed by the
# version of librocksdb-sys in Cargo.lock, makes later builds (any profile, any clone) take seconds.
# lz4 needs nothing here: the crate lz4-sys compiles and links it on its own.
jhyde_cache="${XDG_CACHE_HOME:-$HOME/.cache}/jhyde"
jhyde_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jhyde_rocksdb_version=$(sed -n '/^name = "librocksdb-sys"/{n;s/.*"\(.*\)".*/\1/p;q}' "$jhyde_root/Cargo.lock" 2>/dev/null || true)
jhyde_rocksdb="$jhyde_cache/rocksdb-$jhyde_rocksdb_version-$(uname -m)"
if [ -n "$jhyde_rocksdb_version" ] && [ -f "$jhyde_rocksdb/librocksdb.a" ]; then
  export ROCKSDB_LIB_DIR="$jhyde_rocksdb" ROCKSDB_STATIC=1
fi
