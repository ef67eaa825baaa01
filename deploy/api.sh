#!/bin/bash
# api.sh: checks the proto files: their style, and that programs which were written against the released API go on with this one.
#
#   deploy/api.sh [FOLDER]      those in FOLDER, else in proto/; an error names what would break, with file and line (exit code 1)
#                               4: they could not be compared
#   deploy/api.sh --release     makes this API the released one: proto/released.binpb.gz is written anew. For releases alone
#
# What was released is an image that buf made, so that no network and no history of git is needed. What is new since then is not bound yet.
# buf is one of the page's packages: deploy/page.sh installs them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
released=$root/proto/released.binpb.gz
buf=$root/clients/web/node_modules/.bin/buf
[ -x "$buf" ] || { echo "api.sh: buf is not installed: deploy/page.sh does that ($buf is missing)" >&2; exit 3; }

if [ "${1:-}" = --release ]; then
  "$buf" build "$root/proto" --exclude-source-info --output "$released"
  exit
fi
protos=${1:-$root/proto}
"$buf" lint "$protos"
code=0
"$buf" breaking "$protos" --against "$released" || code=$?
case $code in
  0) ;;
  100) echo "api.sh: programs that were written against the released API would break: add fields and methods, reserve those that go" >&2; exit 1 ;; # of buf: it found some
  *) echo "api.sh: buf could not compare the proto files with $released (exit code $code): nothing is known of what would break" >&2; exit 4 ;;
esac
