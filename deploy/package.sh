#!/bin/bash
# package.sh: makes jhyde's packages for Debian and Fedora and its image, and installs what is missing for that.
#
#   deploy/package.sh           builds jhyded and jhyde (release), and packs them, into $CARGO_TARGET_DIR/package:
#                               jhyde_*.deb, jhyde-*.rpm, jhyde_*.oci.tar
#   deploy/package.sh --debug   packs the debug binaries that are there, with little compression: for deploy/test-package.sh
#
# The packages need a glibc as new as this machine's. debhelper makes the first, of what deploy/debian says: it knows what a
# package of Debian's has to do about units, users, configuration files and symbols at installation, upgrade and removal. What
# it has laid out, the others take.
# The same commit gives the same bytes with the same compilers, in whatever folder: SOURCE_DATE_EPOCH (by default the commit's
# time) is the time of everything in them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source deploy/lib.sh
trap keep_rocksdb EXIT

profile=release
[ "${1:-}" != --debug ] || profile=debug

want debhelper "makes the package for Debian"
want_command dpkg-buildpackage dpkg-dev "makes the package for Debian"
want_command rpmbuild rpm "makes the package for Fedora"
want_command buildah buildah "makes the image"
[ "$profile" = debug ] || want_build_tools
install_wanted

# Paths of this machine say nothing to others, and would make the bytes different.
registry=${CARGO_HOME:-$HOME/.cargo}/registry/src
if [ "$profile" = release ]; then
  export RUSTFLAGS="--remap-path-prefix=$registry=/registry --remap-path-prefix=$PWD=/jhyde --remap-path-prefix=$CARGO_TARGET_DIR=/target"
  announce_build "building jhyded and jhyde (release)"
  # What is compiled does not depend on the time, but build scripts would run again for another one.
  building env -u SOURCE_DATE_EPOCH cargo build --release --locked -p jhyde-server -p jhyde-cli --bins
  keep_rocksdb
fi
bin=$CARGO_TARGET_DIR/$profile

# What is not released yet is older than the release, and newer than what was built of an earlier commit.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
if grep -q "^## $version, unreleased" CHANGELOG.md; then
  version+="~$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S)"
fi

# libraries: those of others in the programs, and the texts of their licences, each text once.
libraries() {
  local name version file sum sums
  local -A text=() whose=()
  echo "Libraries that jhyded and jhyde contain, with what their authors declare"
  echo
  cargo tree --locked -p jhyde-server -p jhyde-cli -e normal --no-dedupe --prefix none -f '{p} | {l}' | grep -v -e '(/' -e '^$' | sort -u >"$made/crates"
  cat "$made/crates"
  while read -r name version _; do
    while IFS= read -r file; do
      sum=$(sha256sum <"$file")
      text[$sum]=$file
      whose[$sum]+="$name ${version#v}"$'\n'
    done < <(find "$registry"/*/"$name-${version#v}" -maxdepth 3 -type f \
      \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) -not -name '*.rs' | sort)
  done <"$made/crates"
  mapfile -t sums < <(printf '%s\n' "${!text[@]}" | sort)
  for sum in "${sums[@]}"; do
    printf '\n%s\n' "------------------------------------------------------------------------"
    sort -u <<<"${whose[$sum]%$'\n'}" | paste -sd, | sed 's/,/, /g' | fold -s -w 100
    echo
    cat "${text[$sum]}"
  done
}

# Everything that is packed, in one folder, as deploy/debian/install and its like name it.
say "the package: jhyde $version"
packages=$CARGO_TARGET_DIR/package
made=$packages/jhyde
rm -rf "$packages"
mkdir -p "$made/bin" "$made/man" "$made"/completions/{bash,zsh,fish}
cp -rL deploy/debian "$made/debian"
cp -r deploy docs README.md CHANGELOG.md LICENSE-* "$made/"
libraries >"$made/libraries"
for program in jhyded jhyde; do
  cp "$bin/$program" "$made/bin/"
  "$bin/$program" man "$made/man"
  "$bin/$program" completions bash >"$made/completions/bash/$program"
  "$bin/$program" completions zsh >"$made/completions/zsh/_$program"
  "$bin/$program" completions fish >"$made/completions/fish/$program.fish"
done
# Examples stand as they were laid out.
sed -i -e 's/^\.SH EXTRA/.SH NOTES\n.nf/' -e 's/^\.SH VERSION/.fi\n&/' "$made"/man/*
cat >"$made/debian/changelog" <<END
jhyde ($version-1) unstable; urgency=medium

  * What is new stands in changelog.gz beside this file.

 -- $(sed -n 's/^Maintainer: //p' deploy/debian/control)  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END

# --- for Debian ------------------------------------------------------------------------------

# logged COMMAND...: what it says is of interest where it fails.
logged() { "$@" >"$packages/log" 2>&1 || { tail -n 40 "$packages/log" >&2; die "this failed: $*"; }; }

if [ "$profile" = debug ]; then
  export DEB_BUILD_OPTIONS=noautodbgsym DPKG_DEB_COMPRESSOR_TYPE=gzip DPKG_DEB_COMPRESSOR_LEVEL=1
fi
logged env -C "$made" dpkg-buildpackage --build=binary --no-sign
laid_out=$made/debian/jhyde

# --- for Fedora ------------------------------------------------------------------------------

# jhyde's licences, and those of libraries that offer neither of these, in the words of SPDX.
license="(Apache-2.0 OR MIT)$(sed -e 's/.* | //' -e 's/[()]//g' -e 's| */ *| OR |g' -e 's/ AND /\n/g' "$made/crates" | sort -u \
  | awk '!/ OR / { printf " AND %s", $0 } / OR / && !/(^| )(MIT|Apache-2\.0)( |$)/ { printf " AND (%s)", $0 }')"
payload=w19.zstdio
[ "$profile" = release ] || payload=w1.gzdio
logged rpmbuild -bb --define "_topdir $made/rpm" --define "_rpmdir $packages" --define "_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" \
  --define "_buildhost jhyde" --define "use_source_date_epoch_as_buildtime 1" --define "_binary_payload $payload" \
  --define "jhyde_version $version" --define "jhyde_license $license" --define "jhyde_made $made" deploy/rpm/jhyde.spec

# --- the image -------------------------------------------------------------------------------

# The programs, the libraries that they load, and nothing else: no shell, no root. As which versions of whose packages these
# came, scanners of images read in /var/lib/dpkg/status.d.
root=$made/image
mkdir -p "$root"/{etc/jhyde,usr/bin,var/lib/dpkg/status.d,run} "$root/usr/share/doc/jhyde"
cp "$laid_out"/usr/bin/* "$root/usr/bin/"
cp deploy/image/jhyded.toml "$root/etc/jhyde/"
cp LICENSE-* "$made/libraries" deploy/debian/copyright "$root/usr/share/doc/jhyde/"
printf '%s\n' root:x:0:0:root:/:/sbin/nologin jhyde:x:10001:10001::/var/lib/jhyde:/sbin/nologin >"$root/etc/passwd"
printf '%s\n' root:x:0: jhyde:x:10001: >"$root/etc/group"
for library in $(ldd "$root"/usr/bin/* | grep -o '\s/[^ :]*' | sort -u); do
  # A package may have it as /lib/X what ldd calls /usr/lib/X, and the other way round: these are one folder.
  package=$(dpkg-query -S "$library" "/usr$library" "${library#/usr}" 2>/dev/null | head -n 1 | cut -d: -f1) || true
  [ -n "$package" ] || die "$library, which the programs need, is of no package"
  install -D "$library" "$root$library"
  dpkg-query -s "$package" >"$root/var/lib/dpkg/status.d/$package"
  install -Dm644 "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright"
done
while read -r text; do
  install -Dm644 "$text" "$root$text"
done < <(grep -rhoE '/usr/share/common-licenses/[A-Z][A-Za-z0-9.-]*[A-Za-z0-9]' "$root/usr/share/doc" | sort -u)
mkdir -p "$made"/theirs/{data,run}/jhyde
chmod -R u=rwX,go=rX "$root" "$made/theirs"
chmod 700 "$made/theirs/data/jhyde"

storage=$(mktemp -d)
trap 'rm -rf "$storage"; keep_rocksdb' EXIT
of_image() { logged buildah --storage-driver vfs --root "$storage/root" --runroot "$storage/run" "$@"; }
tag=localhost/jhyde:${version//\~/-}
of_image from --name jhyde scratch
of_image copy jhyde "$root" /
of_image copy --chown 10001:10001 jhyde "$made/theirs/data" /var/lib
of_image copy --chown 10001:10001 jhyde "$made/theirs/run" /run
# SQLite puts aside what does not fit into memory: beside the recordings, as there is room.
of_image config --user 10001:10001 --entrypoint '["/usr/bin/jhyded"]' --cmd serve --env PATH=/usr/bin --env TMPDIR=/var/lib/jhyde \
  --workingdir /var/lib/jhyde --volume /var/lib/jhyde --volume /run/jhyde --port 7707/tcp \
  --label org.opencontainers.image.title=jhyde --label org.opencontainers.image.version="$version" \
  --label org.opencontainers.image.licenses="Apache-2.0 OR MIT" jhyde
of_image commit --quiet --timestamp "$SOURCE_DATE_EPOCH" --omit-history jhyde "$tag"
compression=(--compression-format gzip --compression-level 9)
[ "$profile" = release ] || compression=(--compression-format gzip --compression-level 1)
of_image push "${compression[@]}" "$tag" "oci:$made/oci:$tag"
tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
  --file "$packages/jhyde_${version}_$(dpkg --print-architecture).oci.tar" -C "$made/oci" blobs index.json oci-layout

rm -rf "$made"
ls -l "$packages"/*.deb "$packages"/*.rpm "$packages"/*.oci.tar
