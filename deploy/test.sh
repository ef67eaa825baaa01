#!/bin/bash
# test.sh: installs what is missing, checks format and lints, runs every test on every JDK found.
#
# JHYDE_REQUIRE_JDKS="17 25"   end with an error where one of these is missing
# JHYDE_JDKS=HOME:HOME         test with these JDKs and no others
# Arguments go to the test runner (a filter, say). Exit code 0: all is well.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source deploy/lib.sh
trap keep_rocksdb EXIT

want_build_tools
want_jdk "the tests record real programs"
want_command jq jq "the scripts that tests call read JSON"
want_command flock util-linux "two tests may compile the fixtures at once"
want_command mount mount "disks that are full or read-only are tested on file systems of their own"
want_command script bsdutils "the debugging session is tested in a terminal of its own"
want_command ss iproute2 "JVMs are recorded from within their network namespace"
[ -x /usr/sbin/sshd ] || want openssh-server "JVMs are recorded through ssh"
want_command ssh openssh-client "JVMs are recorded through ssh"
[ -x "$(type -P kill)" ] || want procps "tests end daemons by their numbers"
# The libraries that recorded workloads are made of: integration/workloads.json says which is whose.
for package in $(sed -n '/"apt": \[$/,/\]/p' integration/workloads.json | grep -o '"[a-z0-9.+-]*"' | tr -d '"' | grep -vx apt | sort -u); do
  want "$package" "a workload that the tests record is made of it"
done
want_command mvn maven "tests under a build are recorded"
want_command gradle gradle "tests under a build are recorded"
for package in libsurefire-java libmaven-compiler-plugin-java libmaven-resources-plugin-java junit4; do
  want "$package" "tests under Maven and Gradle are recorded"
done
want libjacoco-java "programs under a coverage agent are recorded"
want_python
want_node
want chromium "the page is tested in a real browser"
want_command systemd-analyze systemd "the units of the service are verified"
want_command swipl swi-prolog-nox "exports as Prolog facts are loaded and asked"
install_wanted
choose_jdks
choose_node
echo "JDKs: $(jdks_for_people)"

say "scripts"
deploy/test-lib.sh

deploy/page.sh

say "format"
cargo fmt --all --check || die "some files are not formatted: cargo fmt --all"

announce_build "lints"
building cargo clippy --workspace --all-targets --locked -- -D warnings
keep_rocksdb

say "fixtures, workloads and JDI peers"
while IFS= read -r home; do
  out=$jhyde_cache/java/$(jdk_major "$home")
  integration/java/build.sh "$home" "$out"
  echo "   JDK $(jdk_major "$home"): $out"
done < <(tr : '\n' <<<"$JHYDE_JDKS")

say "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
cargo test --workspace --doc --locked </dev/null

say "tests"
[ -n "${GRPCURL:-}" ] || echo "   left out: the tasks of docs/scripting.md by grpcurl, as GRPCURL does not name one"
status=0
# The end-to-end tests start jhyded and jhyde: cargo test builds the binaries of a crate for that crate's tests alone. With the
# tests, so that crates get the features that they have there, and are compiled once.
cargo build --workspace --bins --tests --locked
deploy/test-package.sh || status=$?
if cargo nextest --version >/dev/null 2>&1; then
  cargo nextest run --workspace --locked --no-fail-fast "$@" </dev/null || status=$?
else
  # No --all-targets: it would run the benchmarks, which take minutes and prove nothing. The lints above
  # have compiled them.
  cargo test --workspace --lib --bins --tests --locked --no-fail-fast "$@" </dev/null || status=$?
fi

echo
echo "JDKs: $(jdks_for_people)"
[ "$status" = 0 ] && echo "all tests passed" || echo "some tests failed (exit code $status)"
exit "$status"
