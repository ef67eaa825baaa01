#!/bin/bash
# page.sh: builds the page anew (clients/web), tests its parts, and compares dist/ with what is committed, byte by byte.
#
#   deploy/page.sh            an error where they differ
#   deploy/page.sh --write    puts what was built in the place of what is committed
#
# Installs a Node that is new enough (20.19) where there is none, and the packages that package-lock.json names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source deploy/lib.sh

want_node
install_wanted
choose_node

cd clients/web
say "the page: packages"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null || die "npm could not install what package-lock.json names: is this machine allowed to reach a package registry?"

say "the page: build"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
npm run --silent generate </dev/null
npm run --silent check </dev/null
npx vite build --logLevel warn --outDir "$out/dist" --emptyOutDir </dev/null

say "the page: tests"
npm test --silent </dev/null

if [ "${1:-}" = --write ]; then
  rm -rf dist
  cp -r "$out/dist" dist
  say "clients/web/dist is new"
else
  diff -rq "$out/dist" dist || die "clients/web/dist is not what its sources give: deploy/page.sh --write, and commit it"
fi

# What a browser has to fetch before it shows anything, and what it may fetch in all. gzip, as a server would send it.
gzipped() { for file in "$@"; do gzip -9 -c "$file" | wc -c; done | awk '{ sum += $1 } END { print sum + 0 }'; }
entry=$(gzipped dist/index.html dist/assets/index-*.js dist/assets/*.css)
all=$(gzipped dist/index.html dist/assets/*)
echo "   gzipped: $((entry / 1000)) kB before anything is shown, $((all / 1000)) kB in all"
[ "$entry" -lt 150000 ] || die "the page's entry is over 150 kB gzipped: $entry bytes"
[ "$all" -lt 300000 ] || die "the page is over 300 kB gzipped: $all bytes"
