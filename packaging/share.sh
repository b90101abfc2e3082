#!/bin/sh
# usage: share.sh EXECUTABLE FOLDER
# Lets rollcall write what is installed beside it: its configuration, completions and manual. BUN names the runtime.
set -eu
executable=$(realpath "$1") folder=$2
here=$(dirname "$0")
rm -rf "$folder"
mkdir -p "$folder"
# The time zone will be that of the machine on which it starts, not of this one.
"$executable" init "$folder" >/dev/null
sed -i.was -e 's|^timezone = |#timezone = |' -e 's|^#directory = .*|directory = "/var/lib/rollcall"|' "$folder/rollcall.toml"
rm "$folder/rollcall.toml.was"

if "$executable" help completion >/dev/null 2>&1; then
  mkdir "$folder/completions"
  for shell in bash zsh fish; do "$executable" completion "$shell" >"$folder/completions/$shell"; done
fi

date=$(git log -1 --format=%cs 2>/dev/null || date +%F)
"$BUN" "$here/man-page.ts" "$("$here/version.sh")" "$date" | gzip -9n >"$folder/rollcall.1.gz"
