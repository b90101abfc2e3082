#!/bin/sh
# usage: dist.sh FOLDER
# Builds every release into the folder: an archive for each kind of Linux, Debian packages, checksums. Reads from the Makefile's
# environment: BUN_VERSION, and COMPILE, the command that compiles. DIST_TARGETS names fewer targets.
set -eu
folder=$1
cd "$(dirname "$0")/.."
version=$(packaging/version.sh)
rm -rf "$folder"
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As people and our files call it, and as Bun's packages do.
for target in ${DIST_TARGETS:-x64 x64-musl arm64 arm64-musl}; do
  platform=linux-$(echo "$target" | sed 's/^arm64/aarch64/')
  runtime=.bun/runtimes/bun-$platform-$BUN_VERSION
  [ -e "$runtime" ] || packaging/fetch-bun.sh "$BUN_VERSION" "$platform" "$runtime"
  echo "==> Compiling rollcall $version for linux-$target"
  name=rollcall-$version-linux-$target
  eval "$COMPILE" --target="bun-linux-$target" --compile-executable-path="$runtime" \
    --define "'ROLLCALL_VERSION=\"$version\"'" --outfile "$work/$target/rollcall" >/dev/null
  DESTDIR=$work/$name PREFIX=/usr/local EXECUTABLE=$work/$target/rollcall packaging/install.sh install
  cp LICENSE CHANGELOG.md "$work/$name/usr/local/share/doc/rollcall/"
  tar -C "$work" --owner=0 --group=0 --sort=name --mtime="@$(git log -1 --format=%ct 2>/dev/null || date +%s)" -cf - "$name" |
    gzip -9n >"$folder/$name.tar.gz"

  case $target in *-musl) continue ;; esac
  command -v dpkg-deb >/dev/null || { echo "dpkg-deb is missing: no Debian package for $target" >&2; continue; }
  architecture=$(echo "$target" | sed 's/^x64$/amd64/')
  packaging/deb.sh "$version" "$architecture" "$work/$target/rollcall" "$folder/rollcall_${version}_$architecture.deb"
done

(cd "$folder" && sha256sum -- * >SHA256SUMS)
ls -sh "$folder"
