#!/bin/sh
# usage: deb.sh VERSION ARCHITECTURE EXECUTABLE FILE
# Makes the Debian package of an executable, by `make install`'s own steps. Needs dpkg-deb.
set -eu
version=$1 architecture=$2 executable=$3 file=$4
here=$(dirname "$0")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
umask 022
chmod 755 "$tree"

DESTDIR=$tree PREFIX=/usr EXECUTABLE=$executable "$here/install.sh" install
# Debian's packages make their user themselves.
rm -r "$tree/usr/lib/sysusers.d"
[ ! -d "$tree/usr/share/zsh/site-functions" ] || mv "$tree/usr/share/zsh/site-functions" "$tree/usr/share/zsh/vendor-completions"
install -D -m 644 "$here/debian/copyright" "$tree/usr/share/doc/rollcall/copyright"
install -D -m 644 "$here/debian/lintian-overrides" "$tree/usr/share/lintian/overrides/rollcall"
{
  printf 'rollcall (%s) unstable; urgency=medium\n\n  * See /usr/share/doc/rollcall/CHANGELOG.md.\n\n' "$version"
  printf ' -- The rollcall authors <rollcall@rollcall.invalid>  %s\n' "$(git log -1 --format=%cD 2>/dev/null || date -R)"
} | gzip -9n >"$tree/usr/share/doc/rollcall/changelog.gz"

mkdir "$tree/DEBIAN"
for script in postinst prerm postrm; do install -m 755 "$here/debian/$script" "$tree/DEBIAN/$script"; done
echo /etc/rollcall/rollcall.toml >"$tree/DEBIAN/conffiles"
size=$(du -sk --exclude=DEBIAN "$tree" | cut -f 1)
sed -e "s|@VERSION@|$version|; s|@ARCHITECTURE@|$architecture|; s|@SIZE@|$size|" "$here/debian/control" >"$tree/DEBIAN/control"
(cd "$tree" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k 2 >DEBIAN/md5sums && chmod 644 DEBIAN/md5sums DEBIAN/control DEBIAN/conffiles)
mkdir -p "$(dirname "$file")"
# Stronger compression saves a tenth and takes minutes.
dpkg-deb --root-owner-group -Zxz -z1 --build "$tree" "$file" >/dev/null
