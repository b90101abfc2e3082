#!/bin/sh
# Prints the version of what is built here: that of the tag v… if this commit has one, else the next one's, the number of
# commits and the commit, which sorts before it (0.1.0~512.g1a2b3c4). Without git: that of package.json.
set -eu
cd "$(dirname "$0")/.."
next=$(sed -n 's/^ *"version": "\(.*\)",$/\1/p' package.json)
tag=$(git describe --exact-match --tags --match 'v[0-9]*' 2>/dev/null || true)
commit=$(git rev-parse --short HEAD 2>/dev/null || true)
if [ -n "$tag" ]; then echo "${tag#v}"
elif [ -n "$commit" ]; then echo "$next~$(git rev-list --count HEAD).g$commit"
else echo "$next"; fi
