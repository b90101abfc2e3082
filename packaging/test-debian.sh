#!/usr/bin/env bash
# usage: test-debian.sh, as root
# Runs `make test-all` as an ordinary user on a new Debian 12 that has only what the README asks for, with Debian's Node 18; then the
# scripts of docs/clients.md with Debian 11's Python 3.9 and PHP 7.4. Needs git, mmdebstrap, systemd-nspawn and the network.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# within SUITE OPTION... COMMAND...: runs it there, with this machine's network
within() {
  local suite=$1
  shift
  systemd-nspawn --quiet --directory "$work/$suite" --as-pid2 --register=no --keep-unit --pipe --resolv-conf=copy-host \
    --setenv=NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$@"
}
# new_debian SUITE PACKAGE...: makes it, with these besides, what this machine trusts, and a user
new_debian() {
  local suite=$1
  shift
  mmdebstrap --quiet --variant=minbase --include="ca-certificates $*" "$suite" "$work/$suite"
  cp -a /usr/local/share/ca-certificates/. "$work/$suite/usr/local/share/ca-certificates/"
  # An installed Debian has it, and a made one does not.
  printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n' >"$work/$suite/etc/hosts"
  within "$suite" update-ca-certificates >/dev/null
  within "$suite" useradd --create-home --shell /bin/bash ada
}
# as_ada SUITE LINES: in a shell of the user's
as_ada() { within "$1" --user ada --chdir /home/ada/rollcall bash -c "$2"; }

echo "==> Making a new Debian 12"
new_debian bookworm git make curl nodejs npm
git clone --quiet . "$work/bookworm/home/ada/rollcall"
chown -R 1000:1000 "$work/bookworm/home/ada/rollcall"
as_ada bookworm 'echo "node $(node --version), npm $(npm --version)"'

echo "==> Running make test-all there"
began=$SECONDS
as_ada bookworm 'make test-all'
echo "make test-all took $((SECONDS - began)) s on a Debian with git, make, curl, Node and npm"

echo "==> Making a new Debian 11"
new_debian bullseye curl wget python3 php-cli
cp -a "$work/bookworm/home/ada/rollcall" "$work/bullseye/home/ada/rollcall"
as_ada bullseye 'python3 --version; php --version | head -n 1; wget --version | head -n 1; curl --version | head -n 1'

echo "==> Running the scripts of docs/clients.md there"
as_ada bullseye '.bun/bun-* test --timeout 120000 test/clients.slow.test.ts test/clients-around-jobs.slow.test.ts test/clients-hanging.slow.test.ts'
echo "make test-all and the scripts for jobs were run."
