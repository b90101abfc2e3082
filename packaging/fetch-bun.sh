#!/bin/sh
# usage: fetch-bun.sh VERSION PLATFORM FILE
# Fetches the Bun of this version for a platform (linux-x64, linux-aarch64-musl, …; here: this machine's), and puts it there only
# if it is the one whose hash stands in bun.sha256. A new version needs new hashes: sha256sum of bin/bun in each package.
set -eu
version=$1 platform=$2 file=$3
hashes=$(dirname "$0")/bun.sha256

if [ "$platform" = here ]; then
  system=$(uname -s | tr '[:upper:]' '[:lower:]')
  machine=$(uname -m | sed 's/^x86_64$/x64/; s/^arm64$/aarch64/')
  musl=$(ls /lib/ld-musl-* 2>/dev/null || true)
  glibc=$(ls /lib64/ld-linux-* /lib/ld-linux-* 2>/dev/null || true)
  platform=$system-$machine$([ -n "$musl" ] && [ -z "$glibc" ] && echo -musl || true)
fi
name=bun-$platform
hash=$(awk -v name="$name" '$2 == name { print $1 }' "$hashes")
[ -n "$hash" ] || { echo "There is no Bun for this machine ($platform): $hashes names those that there are." >&2; exit 1; }

echo "==> Fetching Bun $version for $platform (about 50 MB, only this once)"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if command -v npm >/dev/null; then
  # Its errors are shown: they say whether the network, a proxy or a certificate is at fault.
  (cd "$folder" && package=$(npm pack --loglevel=error --ignore-scripts "@oven/$name@$version") && tar -xzf "$package") ||
    { echo "npm could not fetch @oven/$name@$version (see above)." >&2; exit 1; }
  found=$folder/package/bin/bun
elif command -v bun >/dev/null; then
  echo '{}' >"$folder/package.json"
  bun add --cwd "$folder" --no-save --ignore-scripts "@oven/$name@$version"
  found=$folder/node_modules/@oven/$name/bin/bun
else
  echo "Neither npm nor Bun is on the PATH: install Node (with npm) or Bun $version, then run make again." >&2
  exit 1
fi

is=$({ sha256sum "$found" 2>/dev/null || shasum -a 256 "$found"; } | cut -d ' ' -f 1)
if [ "$is" != "$hash" ]; then
  echo "What was fetched as Bun $version for $platform is another file than $hashes expects ($is); it was thrown away." >&2
  exit 1
fi
mkdir -p "$(dirname "$file")"
chmod 755 "$found"
mv "$found" "$file"
