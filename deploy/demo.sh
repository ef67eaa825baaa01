#!/bin/bash
# demo.sh: see jhyde record a buggy Java program and find the call that is to blame.
#
# On a Debian or Ubuntu with Rust: installs what is missing, builds, records the reference example
# (a merge sort that does not sort), prints its computation tree, and lets a script answer the
# debugger's questions. Run it again at any time. JHYDE_DEMO_DATA: where the recording is kept.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source deploy/lib.sh
trap keep_rocksdb EXIT

want_build_tools
want_jdk "the demo records a Java program"
want_command jq jq "the scripted session reads the questions, which are JSON"
install_wanted
choose_jdks
jdk=${JHYDE_JDKS%%:*}

announce_build "building jhyded and jhyde (release)"
building cargo build --release --locked -p jhyde-server -p jhyde-cli
bin=$CARGO_TARGET_DIR/release
keep_rocksdb

data=${JHYDE_DEMO_DATA:-$jhyde_cache/demo/data}
classes=$jhyde_cache/demo/classes
source_file=integration/java/fixtures/mergesort/MergeSort.java
mkdir -p "$data" "$classes"
"$jdk/bin/javac" -g -d "$classes" "$source_file"

say "the program: $source_file, with JDK $(jdk_major "$jdk"); it should print [1, 4, 7, 9]"
# A demo that ran before left a recording of that name.
if "$bin/jhyde" --data "$data" show demo >/dev/null 2>&1; then
  "$bin/jhyde" --data "$data" delete demo >/dev/null
fi
echo "\$ jhyded launch --name demo --level full --include MergeSort -- java -cp classes MergeSort"
"$bin/jhyded" launch --data "$data" --name demo --level full --include MergeSort -- "$jdk/bin/java" -cp "$classes" MergeSort

say "what called what"
echo "\$ jhyde tree demo"
"$bin/jhyde" --data "$data" tree demo

# What is wrong in this run: main and sort yield a wrong order, and so does the third merge.
verdict() {
  jq -r 'if (.call.method == "main") or (.call.method == "sort") or (.call.method == "merge" and .call.invocation == 2)
         then "invalid" else "valid" end' <<<"$1"
}
# Two named pipes carry a session, questions one way and answers the other.
pipes=$(mktemp -d)
trap 'rm -rf "$pipes"; keep_rocksdb' EXIT
trap '' PIPE # a session that ends early is told below, by its exit code
mkfifo "$pipes/questions" "$pipes/answers"
session() { # STRATEGY: answers until the buggy call is named
  local asked=0 found='' message answer session_pid
  echo "\$ jhyde debug demo --strategy $1"
  "$bin/jhyde" --data "$data" debug demo --strategy "$1" --json <"$pipes/answers" >"$pipes/questions" &
  session_pid=$!
  exec 4>"$pipes/answers" 3<"$pipes/questions"
  while IFS= read -r message <&3; do
    case $(jq -r .type <<<"$message") in
      question)
        answer=$(verdict "$message")
        asked=$((asked + 1))
        jq -r --arg answer "$answer" '"   \(.call.class).\(.call.method) #\(.call.invocation), \(.suspicious) calls suspected: did it do right?  \($answer)"' <<<"$message"
        printf '{"answer":"%s"}\n' "$answer" >&4 || break
        ;;
      found)
        found=$message
        break
        ;;
      *) die "the session ended without a buggy call: $message" ;;
    esac
  done
  exec 4>&- 3<&-
  wait "$session_pid" || die "jhyde debug failed; the lines above say why"
  [ -n "$found" ] || die "the session ended before it found the buggy call"
  jq -r --arg asked "$asked question$([ "$asked" = 1 ] || echo s)" '"   found after \($asked): \(.call.class).\(.call.method) #\(.call.invocation) is the buggy call\n"' <<<"$found"
  jq -e '.call.method == "merge" and .call.invocation == 2' <<<"$found" >/dev/null || die "that is not the buggy call: it is merge #2"
}

say "whose fault is it? (the answers are given by a script that knows which calls did right)"
session divide-and-query
say "the same, asking first about the call that ran what hardly any other ran"
session coverage-halving:edges
echo "   It stores the rest of a with the wrong index:"
grep -n 'c\[lb++\]' "$source_file" | sed 's/^/   line /'

say "now you"
cat <<NEXT
   export PATH="$bin:\$PATH" JHYDED_DATA="$data"
   jhyde debug demo                 the same session, with you to answer
   jhyde state demo merge#2         its variables, before and after
   jhyde events demo merge#2        what it did, step by step
   jhyde history demo merge#2:lc    every value that a variable had
   jhyde launch --name mine -- java -cp ... Main    your own program
   jhyde --help
NEXT
