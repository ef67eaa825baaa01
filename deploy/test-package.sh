#!/bin/bash
# test-package.sh: are jhyde's packages right, and its image?
#
#   deploy/test-package.sh           of debug binaries that are there: what is in them, their configuration files, what lintian
#                                    and rpmlint say, whether the image serves read-only and without root. Half a minute;
#                                    test.sh runs it
#   deploy/test-package.sh --boot    the same of release binaries, which it builds, and whether all have the same bytes when they
#                                    are packed again, and an upgrade by rpm in a folder; then on a systemd that boots in namespaces
#                                    of its own, over a root that mmdebstrap makes: installation, a recording, reload, an upgrade
#                                    under clients that connect, a daemon that hangs, removal, purge. Needs root, room of 1 GB and
#                                    ten minutes
#
# Not tested: what the scriptlets of the .rpm have systemd do, as no machine of Fedora's is made of Debian's packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source deploy/lib.sh

boot=
case ${1:-} in
  '') profile=--debug ;;
  --boot) boot=yes profile= ;;
  *) die "there is no $1 here" ;;
esac
want lintian "checks the package"
want_command man man-db "lintian reads the manual pages with it"
want_command rpm rpm "reads the package for Fedora"
want_command rpmlint rpmlint "checks the package for Fedora"
want_command jq jq "reads what the image says of itself"
if [ "$boot" ]; then
  [ "$(id -u)" = 0 ] || die "a system that boots needs root"
  want_command mmdebstrap mmdebstrap "makes a root of Debian's packages"
  want_jdk "a program that is recorded is compiled"
fi
install_wanted

test=$(mktemp -d)
init='' cgroup=''
# shellcheck disable=SC2317 # the trap calls it
clean() {
  [ -z "$init" ] || kill -KILL "$init" 2>/dev/null || true
  wait
  [ -z "$cgroup" ] || find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
  rm -rf "$test"
}
trap clean EXIT
failed=0
wrong() {
  echo "   WRONG: $*" >&2
  failed=1
}

# package NAME TIME: makes the packages and the image, as of that time, and puts them there.
package() {
  local made=$CARGO_TARGET_DIR/package
  SOURCE_DATE_EPOCH=$2 deploy/package.sh $profile >"$test/log" 2>&1 || { tail -n 40 "$test/log" >&2; die "deploy/package.sh failed"; }
  mv "$made"/jhyde_*.deb "$test/$1.deb"
  mv "$made"/jhyde-*.rpm "$test/$1.rpm"
  mv "$made"/jhyde_*.oci.tar "$test/$1.oci.tar"
}
now=$(git log -1 --format=%ct)

say "the packages and the image"
package first "$now"
if [ "$boot" ]; then
  package again "$now"
  for kind in deb rpm oci.tar; do
    cmp "$test/first.$kind" "$test/again.$kind" || wrong "made again the .$kind has other bytes"
  done
fi

say "what is in the .deb"
dpkg-deb --info "$test/first.deb" | sed -n '/Package:/,/Depends:/p'
dpkg-deb --contents "$test/first.deb" | awk '{ print substr($6, 2) }' >"$test/contents"
for file in /usr/bin/jhyded /usr/bin/jhyde /etc/jhyde/jhyded.toml \
  /lib/systemd/system/jhyded.{service,socket} /usr/lib/systemd/user/jhyded.service /usr/lib/sysusers.d/jhyde.conf \
  /usr/share/man/man1/{jhyde,jhyded,jhyde-tree,jhyded-token-create}.1.gz \
  /usr/share/bash-completion/completions/{jhyde,jhyded} /usr/share/zsh/vendor-completions/_{jhyde,jhyded} \
  /usr/share/fish/vendor_completions.d/{jhyde,jhyded}.fish \
  /usr/share/doc/jhyde/{copyright,changelog.gz,changelog.Debian.gz,libraries.gz,service.md.gz} \
  /usr/share/doc/jhyde/examples/{jhyded.rules.yml,jhyded.json,launch.conf}; do
  grep -qx "$file" "$test/contents" || wrong "$file is missing"
done
[ "$(dpkg-deb --info "$test/first.deb" conffiles)" = /etc/jhyde/jhyded.toml ] || wrong "other configuration files than /etc/jhyde/jhyded.toml"
dpkg-deb --fsys-tarfile "$test/first.deb" | tar -xO ./etc/jhyde/jhyded.toml | cmp - deploy/jhyded.toml || wrong "another configuration"

say "lintian"
# There is no bug in Debian's tracker that asks for the package.
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$test/first.deb" || wrong "lintian found something"

say "what is in the .rpm"
rpm=$test/first.rpm
# about FORMAT: what the .rpm says of itself. Debian's rpm warns of itself.
about() { rpm -qp --qf "$1" "$rpm" 2>/dev/null; }
rpm -K --nosignature "$rpm" >/dev/null 2>&1 || wrong "it is damaged"
# The same, in Fedora's folders.
sed -e '/\/$/d' -e '/changelog.Debian/d' -e 's,^/lib/,/usr/lib/,' -e 's,/vendor-completions/,/site-functions/,' -e '/\/doc\//s/\.gz$//' \
  -e 's,/doc/\(jhyde/copyright\|jhyde/libraries\)$,/licenses/\1,' "$test/contents" >"$test/wanted"
printf '/usr/share/licenses/jhyde/LICENSE-%s\n' APACHE MIT >>"$test/wanted"
about '[%{FILEMODES:perms} %{FILENAMES}\n]' | sed -n 's/^-[^ ]* //p' | sort | diff <(sort "$test/wanted") - || wrong "other files than in the .deb"
mkdir "$test/deb"
dpkg-deb --extract "$test/first.deb" "$test/deb"
about '[%{FILEDIGESTS}  .%{FILENAMES}\n]' | grep -E ' \./(usr/bin|etc/jhyde|usr/share/man/man1)/' >"$test/sums"
(cd "$test/deb" && sha256sum --check --quiet --strict "$test/sums") || wrong "files are others than in the .deb"
[ "$(about '[%{FILEFLAGS:fflags} %{FILENAMES}\n]' | grep '^[a-z]*c')" = 'cn /etc/jhyde/jhyded.toml' ] || wrong "an upgrade would replace the configuration"
about '[%{REQUIRES}\n]' | grep '^libc\.so\.6(GLIBC_2\.[3-9][0-9])' >/dev/null || wrong "it demands no glibc"
for scriptlet in POSTIN PREUN POSTUN; do
  about "%{$scriptlet}" | grep systemd-update-helper >/dev/null || wrong "$scriptlet does not tell systemd"
  about "%{$scriptlet}" | sh -n || wrong "$scriptlet is no shell"
done
rpmlint --strict --config deploy/rpm/rpmlint.toml "$rpm" >"$test/log" 2>&1 || { cat "$test/log" >&2; wrong "rpmlint found something"; }

say "the image"
mkdir "$test/oci" "$test/image"
tar -xf "$test/first.oci.tar" -C "$test/oci"
# blob DIGEST: its file.
blob() { echo "$test/oci/blobs/${1/://}"; }
manifest=$(blob "$(jq -r '.manifests[0].digest' "$test/oci/index.json")")
config=$(blob "$(jq -r .config.digest "$manifest")")
tar -xzpf "$(blob "$(jq -r '.layers[0].digest' "$manifest")")" -C "$test/image"
[ "$(jq -c '[.config | .User, .Entrypoint, .Cmd, (.Volumes | keys)]' "$config")" \
  = '["10001:10001",["/usr/bin/jhyded"],["serve"],["/run/jhyde","/var/lib/jhyde"]]' ] || wrong "it would run otherwise: $(jq -c .config "$config")"
[ "$(find "$test/image/usr/bin" -type f -printf '%f\n' | sort | paste -sd' ')" = 'jhyde jhyded' ] || wrong "it has other programs than jhyde and jhyded"
for program in jhyde jhyded; do
  cmp "$test/image/usr/bin/$program" "$test/deb/usr/bin/$program" || wrong "$program is another than in the .deb"
done

# As runtimes of containers do: as that user, with that environment, over a root that nobody can write.
# shellcheck disable=SC2016 # the inner shell expands it
as_container='
  set -eu
  image=$1 config=$2
  mount --make-rprivate /
  mount --bind "$image" "$image"
  mount -o remount,bind,ro "$image"
  for volume in $(jq -r ".config.Volumes | keys[]" "$config"); do
    mount -t tmpfs -o uid=10001,gid=10001,mode=700 tmpfs "$image$volume"
  done
  inside="env -i $(jq -r ".config.Env[]" "$config" | paste -sd" ") $(command -v chroot) --userspec=$(jq -r .config.User "$config") $image"
  $inside $(jq -r ".config | .Entrypoint[], .Cmd[]" "$config") &
  serving=$!
  for _ in $(seq 100); do
    ! $inside /usr/bin/jhyde daemon status >/dev/null 2>&1 || break
    sleep 0.1
  done
  $inside /usr/bin/jhyde daemon status
  kill "$serving"
  wait "$serving"
'
if as_root unshare --mount --pid --fork true 2>/dev/null; then
  as_root timeout 60 unshare --mount --pid --fork --kill-child bash -c "$as_container" container "$test/image" "$config" || wrong "it does not serve"
else
  echo "   NOT TESTED: this machine allows no namespaces, and the image does not run"
fi

if [ "$boot" ]; then
  package newer $((now + 1))

  say "the .rpm, installed into a folder and upgraded"
  by_rpm() { rpm --force-debian --root "$test/fedora" --nodeps --noscripts "$@"; }
  mkdir "$test/fedora"
  by_rpm -i "$test/first.rpm" || wrong "it cannot be installed"
  echo '# mine' >>"$test/fedora/etc/jhyde/jhyded.toml"
  by_rpm -U "$test/newer.rpm" || wrong "it cannot be upgraded"
  by_rpm -V jhyde | grep -v ' c /etc/jhyde/jhyded.toml$' && wrong "files are not as they were packed"
  grep -qx '# mine' "$test/fedora/etc/jhyde/jhyded.toml" || wrong "the configuration is not what it was made"
  by_rpm -e jhyde || wrong "it cannot be removed"
  [ ! -e "$test/fedora/usr/bin/jhyded" ] || wrong "removal leaves the daemon behind"
fi

# --- on a machine that boots -------------------------------------------------------------------

# The root as a machine of its own: devices, processes, control groups, and no network but loopback.
# shellcheck disable=SC2016 # the inner shell expands it
as_machine='
  set -eu
  root=$1
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  exec chroot "$root" env -i container=jhyde PATH=/usr/bin:/usr/sbin:/bin:/sbin /lib/systemd/systemd --log-target=console --show-status=no
'

# on_machine COMMAND...: runs it there, as root. as_tester SCRIPT: as a user who may ask the service.
on_machine() { nsenter --target "$init" --all --root --wd env -i PATH=/usr/bin:/usr/sbin:/bin:/sbin HOME=/root LANG=C.UTF-8 "$@" </dev/null; }
as_tester() { on_machine runuser -u tester -- env HOME=/home/tester bash -c "cd && $1"; }

# within SECONDS COMMAND...: until it succeeds.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.2
  done
}

boots() {
  local unified boot_pid
  unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
  [ -n "$unified" ] || die "NOT TESTED: this machine has no control groups of version 2, and no systemd can boot beside its own"
  unshare --mount --pid --fork --uts --ipc --net --cgroup true 2>/dev/null \
    || die "NOT TESTED: this machine allows no namespaces, and no systemd can boot beside its own"
  cgroup=$unified/jhyde-test-$$
  mkdir "$cgroup"
  bash -c 'echo 0 >"$1/cgroup.procs" && exec unshare --mount --pid --fork --kill-child --uts --ipc --net --cgroup bash -c "$2" machine "$3"' \
    machine "$cgroup" "$as_machine" "$root" >"$test/console" 2>&1 </dev/null &
  boot_pid=$!
  within 10 grep -q . "/proc/$boot_pid/task/$boot_pid/children" || die "nothing booted: $(cat "$test/console")"
  init=$(tr -d ' ' <"/proc/$boot_pid/task/$boot_pid/children")
  within 60 on_machine systemctl is-system-running || {
    on_machine systemctl --failed || true
    die "the machine did not come up: $(tail -n 20 "$test/console")"
  }
}

# A program that goes on, and says whether it is the one that was started.
write_program() {
  choose_jdks
  mkdir -p "$root/home/tester/classes"
  cat >"$test/Shop.java" <<'END'
public class Shop {
    static int sold;
    static int sell(int n) { return sold += n; }
    public static void main(String[] args) throws Exception {
        for (int i = 0; ; i++) { sell(i % 7); Thread.sleep(20); if (i % 50 == 0) System.out.println("alive " + i); }
    }
}
END
  "${JHYDE_JDKS%%:*}/bin/javac" -g --release 17 -d "$root/home/tester/classes" "$test/Shop.java"
}

# alive: does the program still run, and get on?
alive() {
  local before
  before=$(wc -l <"$root/home/tester/out")
  within 10 eval "[ \$(wc -l <'$root/home/tester/out') -gt $before ]"
}

# what is left of jhyde on the machine.
remains() { on_machine find / -xdev -path /proc -prune -o -path /sys -prune -o -path /home -prune -o -path /package -prune -o -iname '*jhyde*' -print | sort; }

if [ "$boot" ]; then
  mirror=$(debian_mirror)
  say "a machine with systemd and a JRE: ${mirror#* }"
  root=$test/root
  mmdebstrap --quiet --variant=apt --include=systemd-sysv,dbus,procps,default-jre-headless "${mirror#* }" "$root" "${mirror% *}"
  chmod 755 "$test" "$root"
  echo "127.0.0.1 localhost" >"$root/etc/hosts"
  mkdir "$root/package"
  cp "$test"/*.deb "$root/package/"
  boots
  on_machine useradd --create-home tester
  write_program
  before=$(remains)

  say "installed"
  on_machine dpkg -i /package/first.deb >"$test/log" 2>&1 || { cat "$test/log" >&2; die "it cannot be installed"; }
  for unit in jhyded.service jhyded.socket; do
    on_machine systemctl is-active --quiet "$unit" || wrong "$unit does not run"
    on_machine systemctl is-enabled --quiet "$unit" || wrong "$unit would not run after a restart of the machine"
  done
  on_machine jhyde daemon status || wrong "the daemon does not answer root"
  [ "$(on_machine stat -c '%U %a' /var/lib/jhyde)" = 'jhyde 700' ] || wrong "others may look at the recordings"
  as_tester 'jhyde --no-start list' >/dev/null 2>&1 && wrong "who is not in the group jhyde is let in"
  on_machine usermod -aG jhyde tester

  say "configured, reloaded; a program recorded"
  on_machine sed -i 's/^unix_group_rights = .*/unix_group_rights = ["read", "record"]/' /etc/jhyde/jhyded.toml
  on_machine jhyded config check /etc/jhyde/jhyded.toml
  on_machine systemctl reload jhyded
  as_tester 'java -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005 -cp classes Shop >out 2>&1 & true'
  within 20 grep -q alive "$root/home/tester/out" || wrong "the program does not run: $(cat "$root/home/tester/out")"
  as_tester 'jhyde attach localhost:5005 --name shop --include Shop' >"$test/log" 2>&1 || wrong "no recording: $(cat "$test/log")"
  # It goes on, into the upgrade.
  within 20 as_tester 'jhyde tree shop | grep -q Shop.sell' || wrong "nothing was recorded: $(cat "$test/log")"
  alive || wrong "the program stands still"

  say "upgraded, under clients that connect"
  as_tester 'touch on; while [ -e on ]; do jhyde list >/dev/null 2>>errors && echo answered >>answers || echo refused >>answers; done & true'
  within 20 test -s "$root/home/tester/answers" || wrong "no client is answered"
  was=$(on_machine systemctl show -P MainPID jhyded)
  on_machine dpkg -i /package/newer.deb >"$test/log" 2>&1 || { cat "$test/log" >&2; wrong "it cannot be upgraded"; }
  sleep 2
  as_tester 'rm on'
  [ "$(on_machine systemctl show -P MainPID jhyded)" != "$was" ] || wrong "the old daemon runs on"
  grep -q refused "$root/home/tester/answers" && wrong "clients were refused: $(sort -u "$root/home/tester/errors")"
  echo "   $(grep -c answered "$root/home/tester/answers") calls, all answered"
  on_machine grep -q '"record"\]' /etc/jhyde/jhyded.toml || wrong "the configuration is not what it was made"
  as_tester 'jhyde show shop' >/dev/null || wrong "the recording is gone"
  alive || wrong "the program stands still"

  say "a daemon that hangs, and a watchdog that does not wait for a minute"
  on_machine mkdir -p /run/systemd/system/jhyded.service.d
  printf '[Service]\nWatchdogSec=3s\n' >"/proc/$init/root/run/systemd/system/jhyded.service.d/watchdog.conf"
  on_machine systemctl daemon-reload
  on_machine systemctl restart jhyded
  was=$(on_machine systemctl show -P MainPID jhyded)
  on_machine kill -STOP "$was"
  within 30 as_tester 'timeout 5 jhyde list' || wrong "nobody is answered any more"
  [ "$(on_machine systemctl show -P MainPID jhyded)" != "$was" ] || wrong "the watchdog did nothing"
  alive || wrong "the program stands still"

  say "removed"
  on_machine dpkg -r jhyde >"$test/log" 2>&1 || { cat "$test/log" >&2; wrong "it cannot be removed"; }
  on_machine systemctl is-active jhyded.service jhyded.socket >/dev/null && wrong "it runs without being installed"
  on_machine test -d /var/lib/jhyde || wrong "removal takes the recordings along"
  on_machine test -f /etc/jhyde/jhyded.toml || wrong "removal takes the configuration along"
  alive || wrong "the program stands still"

  say "installed again, with what was left"
  on_machine dpkg -i /package/newer.deb >"$test/log" 2>&1 || { cat "$test/log" >&2; wrong "it cannot be installed again"; }
  as_tester 'jhyde show shop' >/dev/null || wrong "the recording is gone"

  say "purged"
  on_machine dpkg -P jhyde >"$test/log" 2>&1 || { cat "$test/log" >&2; wrong "it cannot be purged"; }
  on_machine rm -r /run/systemd/system/jhyded.service.d
  on_machine systemctl daemon-reload
  after=$(remains)
  [ "$after" = "$before" ] || wrong "left behind: $(comm -13 <(echo "$before") <(echo "$after") | paste -sd' ')"
  [ -z "$(on_machine systemctl --failed --no-legend)" ] || wrong "units have failed: $(on_machine systemctl --failed --no-legend)"
  alive || wrong "the program stands still"
fi

[ "$failed" = 0 ] || die "the packages are not right"
echo "   the packages are as they should be"
