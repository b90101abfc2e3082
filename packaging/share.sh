#!/bin/sh
# usage: share.sh EXECUTABLE FOLDER
# Writes what is installed beside rollcall: its configuration, completions, manual and documents. BUN names the runtime;
# it is run in the root of the repository.
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

# What contributors read, and who needs more than one machine, stays in the repository, as do pictures: links to either become plain words.
theirs='contract|decisions|messages|reliability|scaling'
for document in README.md docs/*.md docs/prometheus/*; do
  if echo "$document" | grep -Eq "^docs/($theirs)\.md$"; then continue; fi
  mkdir -p "$folder/doc/$(dirname "$document")"
  sed -E -e '/^!\[[^]]*\]\(.*\.png\)$/d' \
    -e "s#\[((docs/)?($theirs)\.md)\]\([^)]*\)#\`\1\` of the source#g" \
    -e "s#\[([^]]+)\]\((docs/)?($theirs)\.md[^)]*\)#\1#g" \
    -e 's#\[([^]]+)\]\((\.\./)?(bench|packaging|test)/[^)]*\)#\1#g' \
    -e 's#\[([^]]+)\]\((ARCHITECTURE\.md|CHANGELOG\.md|LICENSE|images)\)#\1#g' "$document" >"$folder/doc/$document"
done
