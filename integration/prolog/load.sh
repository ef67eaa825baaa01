#!/usr/bin/env bash
# How long it takes to write a recording as facts and to load them into SWI-Prolog: load.sh [KERNEL TIMES]
#
# Records a kernel of integration/java/kernels/Kernels.java (default: tree 1) by the engine `probe` at level `full`, exports it and loads the facts with
# the rules of daemon/query/prolog/javata.pl. `jhyde`, `jhyded`, `swipl` and a JDK are taken from the PATH. Prints a row of Markdown.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
kernel=${1:-tree} times=${2:-1}
folder=$(mktemp -d)
export JHYDED_DATA=$folder/data XDG_RUNTIME_DIR=$folder
trap 'jhyde daemon stop >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT

javac -g -d "$folder" "$here/../java/kernels/Kernels.java"
jhyded launch --name run --engine probe --level full -- java -cp "$folder" Kernels "$kernel" "$times" >/dev/null
events=$(jhyde show run --json | grep -o '"events":[0-9]*' | cut -d: -f2)

begun=$(date +%s.%N)
jhyde export --jel run "$folder/run.pl" >/dev/null
exported=$(date +%s.%N)
loaded=$(swipl -q -g "get_time(A), load_files(['$folder/run.pl', '$here/../../daemon/query/prolog/javata.pl']), get_time(B), T is B - A, format('~2f', [T])" -t halt)

facts=$(wc -l <"$folder/run.pl")
bytes=$(wc -c <"$folder/run.pl")
echo "| events | facts | MB | exported in, s | loaded in, s |"
echo "| --- | --- | --- | --- | --- |"
awk -v events="$events" -v facts="$facts" -v bytes="$bytes" -v begun="$begun" -v exported="$exported" -v loaded="$loaded" \
    'BEGIN { printf "| %d | %d | %.1f | %.1f | %.1f |\n", events, facts, bytes / 1e6, exported - begun, loaded }'
