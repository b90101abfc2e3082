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

# What those read who change rollcall stays in the repository, as do pictures: links to either become plain words.
for document in README.md docs/*.md docs/prometheus/*; do
  case $document in
    docs/contract.md | docs/decisions.md | docs/messages.md | docs/performance.md | docs/profile.md | docs/reliability.md) ;;
    docs/prometheus/*) install -D -m 644 "$document" "$folder/doc/$document" ;;
    *)
      mkdir -p "$folder/doc/docs"
      sed -E -e '/^!\[[^]]*\]\(.*\.png\)$/d' \
        -e 's#\[((docs/)?(contract|decisions|messages|performance|profile|reliability)\.md)\]\([^)]*\)#`\1` of the source#g' \
        -e 's#\[([^]]+)\]\((docs/)?(contract|decisions|messages|performance|profile|reliability)\.md[^)]*\)#\1#g' \
        -e 's#\[([^]]+)\]\((\.\./)?(bench|packaging|test)/[^)]*\)#\1#g' \
        -e 's#\[([^]]+)\]\((ARCHITECTURE\.md|CHANGELOG\.md|LICENSE|images)\)#\1#g' "$document" >"$folder/doc/$document"
      ;;
  esac
done
