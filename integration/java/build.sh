#!/bin/bash
# build.sh JDK_HOME OUT_DIR [defects|slices|queries|fixtures|odd|contents|snapshots|book|templates|expenses|oracle|generated|judge|workloads|jdi ...]
#
# Compiles what the tests and benchmarks run in or beside a JVM, with one JDK, into OUT_DIR:
#   OUT_DIR/mergesort   the reference example and its two variants        (default package)
#   OUT_DIR/fixtures    small programs, one behaviour each                 (package fx)
#   OUT_DIR/plugin      classes for a second loader, not on the class path (package fx.plugin)
#   OUT_DIR/odd         no memory left, code that changes, a method of nearly 64 KB (package odd)
#   OUT_DIR/contents    objects of the JDK that hold data, and what they hold (package held)
#   OUT_DIR/snapshots   calls that are shown objects, and what these held (package snap; needs release 16)
#   OUT_DIR/renamed     a class of the JDK with other fields, to be patched in
#   OUT_DIR/book        an order book on collections, with a planted bug    (package book; needs release 16)
#   OUT_DIR/templates   a template engine, with a planted bug            (package templates; needs release 17)
#   OUT_DIR/expenses    expenses read with commons-csv, with a planted bug (package expenses; needs release 17)
#   OUT_DIR/workloads   drivers of real libraries                          (package wl)
#   OUT_DIR/defects     the smallest program of each kind of mistake that recordings once had
#   OUT_DIR/slices      programs whose values are followed back to what they came from
#   OUT_DIR/queries     programs whose histories queries are asked about
#   OUT_DIR/oracle      programs that log what they do, and their log      (packages fl, truth)
#   OUT_DIR/generated   what generated programs tell through, and the workbench that compiles them (packages told, tool)
#   OUT_DIR/judge       runs right methods beside defective ones            (package judge; needs release 24)
#   OUT_DIR/jdi         the JDI peers: JdiTracer, JdiCounter               (package jdi)
# Without a third argument: all of them. Does nothing for a part whose sources, compiler and flags
# are those of the last time, and may run several times at once. What needs a newer JDK than
# JDK_HOME (jdk25/, release 25 workloads) is left out. Exit code 3: a library is missing; the
# message names its Debian package.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
[ $# -ge 2 ] || usage
jdk=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- defects slices queries fixtures odd contents snapshots book templates expenses oracle generated judge workloads jdi
[ -x "$jdk/bin/javac" ] || { echo "build.sh: $jdk has no bin/javac: give the home of a JDK, not of a JRE" >&2; exit 2; }
version=$("$jdk/bin/javac" -version 2>&1)
major=${version#javac } major=${major%%[.-]*}
mkdir -p "$out"
exec 9>"$out/.lock"
flock 9 # two builds into one folder: the second waits, then finds all done

# compile NAME "FLAGS" SOURCE...: into OUT_DIR/NAME, by way of a fresh folder that takes its place
# when all is well. `pass` numbers several compilations into one folder.
fresh() {
  local stamp
  stamp=$( (echo "$version" "$@"; cat "$here/build.sh"; find "$@" -type f -name '*.java' -print0 | sort -z | xargs -0 sha256sum) | sha256sum)
  part_stamp=$stamp
  [ -f "$out/$part/.stamp" ] && [ "$(cat "$out/$part/.stamp")" = "$stamp" ]
}
begin() { rm -rf "$out/$part.new"; mkdir -p "$out/$part.new"; }
compile() { # FLAGS... -- SOURCES...
  local flags=()
  while [ "$1" != -- ]; do flags+=("$1"); shift; done
  shift
  "$jdk/bin/javac" -nowarn -Xlint:-options -encoding UTF-8 "${flags[@]}" -d "$out/$part.new" "$@" 2>"$out/$part.log" \
    || { cat "$out/$part.log" >&2; echo "build.sh: javac of $jdk refused $part" >&2; exit 1; }
}
finish() {
  printf '%s' "$part_stamp" >"$out/$part.new/.stamp"
  rm -rf "${out:?}/$part" "$out/$part.log"
  mv "$out/$part.new" "$out/$part"
}

fixtures() {
  local src=$here/fixtures
  part=mergesort
  fresh "$src/mergesort" || { begin; compile -g -- "$src"/mergesort/*.java; finish; }
  part=plugin
  fresh "$src/plugin" || { begin; compile -g -- "$src"/plugin/fx/plugin/*.java; finish; }
  part=fixtures
  if ! fresh "$src/fx" "$src/nodebug" "$src/linesonly" "$src/jdk25"; then
    begin
    compile -g -- "$src"/fx/*.java
    compile -g:none -- "$src"/nodebug/fx/*.java
    compile -g:lines,source -- "$src"/linesonly/fx/*.java
    [ "$major" -lt 25 ] || compile -g -- "$src"/jdk25/fx/*.java
    finish
  fi
}

odd() {
  part=odd
  fresh "$here/odd" && return
  local new=$out/odd.new
  begin
  # The other version of a class, under a name that no loader looks for.
  sed 's/return twice + 1;/int more = twice + 300; return more;/' "$here/odd/Redefined.java" >"$new/Redefined.java"
  compile -g -- "$new/Redefined.java"
  mv "$new/odd/Redefined\$Part.class" "$new/Part.replaced"
  # 64 KB is the most that a method may have (JVMS 4.7.3); nobody writes that by hand.
  {
    printf 'package odd;\n\npublic final class Huge {\n    static int big(int n, int[] a) {\n        int x = n;\n'
    for i in $(seq 0 1999); do
      printf '        x = x * 31 + (n ^ %d); if ((x & 7) == %d) a[%d] += x;\n' "$i" $((i % 8)) $((i % 64))
    done
    printf '        return x;\n    }\n\n    public static void main(String[] args) {\n'
    printf '        int[] a = new int[64];\n        System.out.println(big(3, a) + " " + a[5]);\n    }\n}\n'
  } >"$new/Huge.java"
  compile -g -- "$here"/odd/*.java "$new/Huge.java"
  rm "$new"/*.java "$new/odd/Foreseen\$Gone.class"
  printf 'Premain-Class: odd.Redefined\nCan-Redefine-Classes: true\n' >"$new/manifest"
  "$jdk/bin/jar" --create --file "$new/agent.jar" --manifest "$new/manifest" -C "$new" odd
  finish
}

slices() {
  part=slices
  fresh "$here/slices" || { begin; compile -g -- "$here"/slices/*.java; finish; }
}

queries() {
  part=queries
  fresh "$here/queries" || { begin; compile -g -- "$here"/queries/*.java "$here"/queries/util/*.java "$here"/queries/com/util/*.java; finish; }
}

book() {
  part=book
  [ "$major" -ge 16 ] || return 0
  fresh "$here/book" || { begin; compile -g -- "$here"/book/*.java; finish; }
}

templates() {
  part=templates
  [ "$major" -ge 17 ] || return 0
  fresh "$here/templates" || { begin; compile -g -- "$here"/templates/*.java; finish; }
}

contents() {
  part=contents
  fresh "$here/contents" || { begin; compile -g -- "$here"/contents/held/*.java; finish; }
  part=renamed
  fresh "$here/renamed" || { begin; compile -g --patch-module "java.base=$here/renamed" -- "$here"/renamed/java/util/*.java; finish; }
}

snapshots() {
  part=snapshots
  [ "$major" -ge 16 ] || return 0
  fresh "$here/snapshots" || { begin; compile -g -- "$here"/snapshots/snap/*.java; finish; }
}

defects() {
  part=defects
  fresh "$here/defects" && return
  local n
  begin
  # Static initialisers with tables: 8,000 elements are as many as a method may hold, and nobody writes that by hand.
  for n in 500 8000; do
    {
      printf 'class Table%d {\n    static final double[] A = {' "$n"
      for ((i = 0; i < n; i++)); do printf '%d.5,' "$i"; done
      printf '};\n\n    public static void main(String[] a) {\n        System.out.println(A[3]);\n    }\n}\n'
    } >"$out/defects.new/Table$n.java"
  done
  compile -g -- "$here"/defects/*.java "$out"/defects.new/*.java
  rm "$out"/defects.new/*.java
  finish
}

oracle() {
  part=oracle
  local more=()
  fresh "$here/oracle" "$here/oracle25" && return
  [ "$major" -lt 25 ] || more=("$here"/oracle25/fl/*.java)
  begin
  compile -g -- "$here"/oracle/truth/*.java "$here"/oracle/fl/*.java "${more[@]}"
  finish
}

generated() {
  part=generated
  fresh "$here/generated" || { begin; compile -g -- "$here"/generated/*/*.java; finish; }
}

judge() {
  part=judge
  [ "$major" -ge 24 ] || return 0
  # It makes objects without running constructors, for which there is no other way than one that javac warns of.
  fresh "$here/judge" || { begin; compile -g -XDignore.symbol.file -- "$here"/judge/judge/*.java; finish; }
}

# Each driver is compiled for the release that its counts were taken with, against Debian's jars.
workloads() {
  part=workloads
  local src=$here/workloads jar missing=() cp=
  for jar in htmlcleaner:libhtmlcleaner-java kxml2:libkxml2-java xpp3:libxpp3-java \
    commons-csv:libcommons-csv-java gson:libgoogle-gson-java junit4:junit4 hamcrest:libhamcrest-java; do
    [ -e "/usr/share/java/${jar%%:*}.jar" ] || missing+=("${jar#*:}")
    cp=$cp${cp:+:}/usr/share/java/${jar%%:*}.jar
  done
  [ ${#missing[@]} = 0 ] || { echo "build.sh: the workloads need Debian packages that are missing: apt-get install ${missing[*]}" >&2; exit 3; }
  fresh "$src" && return
  begin
  local old=() new=() f
  for f in "$src"/*.java; do
    case ${f##*/} in Modern25Wl.java | VThreadsWl.java) new+=("$f") ;; *) old+=("$f") ;; esac
  done
  compile -g --release 17 -cp "$cp" -- "${old[@]}"
  [ "$major" -lt 25 ] || compile -g --release 25 -- "${new[@]}"
  finish
}

expenses() {
  part=expenses
  local jar=/usr/share/java/commons-csv.jar
  [ -e "$jar" ] || { echo "build.sh: expenses needs a Debian package that is missing: apt-get install libcommons-csv-java" >&2; exit 3; }
  fresh "$here/expenses" || { begin; compile -g --release 17 -cp "$jar" -- "$here"/expenses/*.java; finish; }
}

jdi() {
  part=jdi
  fresh "$here/jdi" || { begin; compile -g --add-modules jdk.jdi -- "$here"/jdi/*.java; finish; }
}

for what in "$@"; do
  case $what in defects | slices | queries | fixtures | odd | contents | snapshots | book | templates | expenses | oracle | generated | judge | workloads | jdi) "$what" ;; *) usage ;; esac
done
