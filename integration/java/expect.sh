#!/bin/bash
# expect.sh OUT_DIR JDK_HOME...: makes fixtures/expected.json anew.
#
# Runs every program of fixtures/programs.json plain and under JdiCounter, on each JDK given, and
# writes what it printed, its exit code and the exact counts per JDK. Output that differs between
# the JDKs, or between the plain and the observed run, ends the script: such a fixture is not
# deterministic and must be mended. Not part of a test run: a tool for whoever adds a fixture.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 2 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
out=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=$here/fixtures/programs.json
names=$(jq -r '.programs[] | select(.endless | not) | .name' "$programs")
for jdk in "$@"; do
  major=$("$jdk/bin/javac" -version 2>&1 | sed 's/javac \([0-9]*\).*/\1/')
  "$here/build.sh" "$jdk" "$out/$major" fixtures jdi
  for name in $names; do
    p=$(jq -c --arg n "$name" '.defaults + (.programs[] | select(.name == $n))' "$programs")
    [ "$(jq .min_jdk <<<"$p")" -le "$major" ] || continue
    mapfile -t flags < <(jq -r '.jvm_flags[]' <<<"$p")
    mapfile -t args < <(jq -r '.args[]' <<<"$p")
    mapfile -t include < <(jq -r '.include[] | "--include", .' <<<"$p")
    args=("${args[@]//\{OUT\}/$out/$major}")
    cmd=("$jdk/bin/java" "${flags[@]}" -cp "$out/$major/$(jq -r .folder <<<"$p")" "$(jq -r .class <<<"$p")" "${args[@]}")
    code=0
    jq -j .stdin <<<"$p" | "${cmd[@]}" >"$work/plain" 2>"$work/err" || code=$?
    [ "$code" = "$(jq .exit <<<"$p")" ] || { echo "$name on $major: exit code $code" >&2; cat "$work/err" >&2; exit 1; }
    jq -j .stdin <<<"$p" | "$jdk/bin/java" -cp "$out/$major/jdi" jdi.JdiCounter --fields "${include[@]}" --out "$work/count" -- "${cmd[@]}" >"$work/seen" 2>"$work/err2" || true
    cmp "$work/plain" "$work/seen" || { echo "$name on $major: other output under observation" >&2; exit 1; }
    cmp "$work/err" "$work/err2" || { echo "$name on $major: other standard error under observation" >&2; exit 1; }
    jq -c --argjson p "$p" --arg major "$major" --arg sha "$(sha256sum <"$work/plain" | cut -d' ' -f1)" --rawfile text <(tr -d '\000\200\377' <"$work/plain") '
      ($p.varies | map({key: ., value: true}) | from_entries) as $varies
      | (reduce (.methods | to_entries[] | select($varies[.key] | not)) as $m ({};
           .[$m.key | sub("(?<l>lambda\\$[^$]*\\$)[0-9]+"; .l + "*")] += $m.value)) as $methods
      | {name: $p.name, stdout_sha256: $sha, stdout: $text, exit: .exit_code, exact: ($p.varies == []),
         counts: {($major): ({calls: ($methods | add // 0), methods: $methods}
           + if $p.varies == [] then {normal_exits: .exits, field_writes, fields} else {} end)}}' "$work/count" >"$work/$name.$major"
    for other in "$work/$name".*; do
      cmp -s <(jq 'del(.counts)' "$other") <(jq 'del(.counts)' "$work/$name.$major") || { echo "$name: what it prints differs between ${other##*.} and $major" >&2; exit 1; }
    done
    echo "$name $major: $(jq -c '.counts[] | [.calls, .normal_exits, .field_writes]' "$work/$name.$major")"
  done
done
for name in $names; do
  ls "$work/$name".* >/dev/null 2>&1 || { echo "$name ran on none of the JDKs given" >&2; exit 1; }
  jq -cs '.[0] + {counts: (map(.counts) | add)}' "$work/$name".*
done | jq -s '{note: "Made by expect.sh: plain runs and JdiCounter. counts is keyed by the major version of the JDK that compiled and ran the program: newer compilers leave some synthetic members away; take the entry of the highest version that is not above yours. Counted are calls whose class is in the scope; hidden classes and varying methods are left out; the number at the end of a lambda method name is up to javac, a star stands for it.", programs: .}' >"$work/expected"
mv "$work/expected" "$here/fixtures/expected.json"
