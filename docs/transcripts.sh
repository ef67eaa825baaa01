#!/bin/bash
# transcripts.sh: writes the debugging sessions in this folder anew, as `jhyde debug` prints them today.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source deploy/lib.sh
choose_jdks
cargo build --workspace --bins --locked
JHYDE_WRITE_DOCS=1 cargo test --workspace --locked --test transcripts
git diff --stat -- docs
