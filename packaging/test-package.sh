#!/usr/bin/env bash
# usage: test-package.sh, as root
# Makes the Debian package of dist/rollcall, installs it in a new Debian with systemd as its first process, uses it, hangs it,
# upgrades, removes, installs again and purges it. Needs mmdebstrap, systemd-nspawn and curl.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/container.sh
main_pid() { inside systemctl show --property MainPID --value rollcall; }
report() { beside curl -fsS -o /dev/null "http://127.0.0.1:8787/api/v1/ping/backup/$key$1"; }

step "Making the package"
package=$work/rollcall.deb
packaging/deb.sh "$(packaging/version.sh)" "$(dpkg --print-architecture)" dist/rollcall "$package"

step "Making a new Debian"
new_debian man-db

step "Installing"
cp "$package" "$root/root/rollcall.deb"
expect "it cannot be installed" inside apt-get install --yes --no-install-recommends /root/rollcall.deb
says first-key
says "sudo -u rollcall rollcall setup"
expect "it does not run" inside systemctl is-active rollcall
expect "it would not run after a boot" inside systemctl is-enabled rollcall
expect "no manual" inside man -w rollcall
expect "somebody else reads the configuration" inside sh -c '[ "$(stat -c "%a %U %G" /etc/rollcall/rollcall.toml)" = "640 root rollcall" ]'
expect "systemd finds faults in the unit" inside systemd-analyze verify /usr/lib/systemd/system/rollcall.service
expect "it has no restrictions" inside grep -Pqz 'NoNewPrivs:\t1\nSeccomp:\t2' "/proc/$(main_pid)/status"
expect "systemd hears nothing" inside systemctl show --property StatusText rollcall
says "listening on http://127.0.0.1:8787"

step "Using it"
key=$(inside grep -om1 'ck_app_[[:alnum:]_]*' /var/lib/rollcall/first-key)
expect "it takes no report" report "?schedule=0+2+*+*+*"
expect "setup sets nothing up" as_rollcall setup --timezone Europe/Berlin --url none --destination none --administrator Ada --watch none
says "/sign-in/link/"
listen 'Bun.serve({ port: 8788, hostname: "127.0.0.1", fetch: () => new Response("ok") })'
cat >>"$root/etc/rollcall/rollcall.toml" <<'TOML'

[destinations.receiver]
type = "webhook"
url = "http://127.0.0.1:8788/alerts"
secret = "whsec_bm90IGEgc2VjcmV0OiBtYWtlIG9uZSB5b3Vyc2VsZi4="
TOML
expect "the configuration is faulty" as_rollcall config check
expect "it does not restart" inside systemctl restart rollcall
eventually "it delivers nothing" as_rollcall notify test receiver
expect "a command fails in a folder that its user may not enter" inside sh -c 'cd /root && runuser -u rollcall -- rollcall app list'
refused "somebody else reads its data" inside setpriv --reuid nobody --clear-groups cat /var/lib/rollcall/first-key

step "Backing it up"
expect "no backup is made" as_rollcall backup /var/lib/rollcall/copy.db
says "proved"

step "Reloading it"
before=$(main_pid)
cp -p "$root/etc/rollcall/rollcall.toml" "$work/whole.toml"
echo 'nonsense' >>"$root/etc/rollcall/rollcall.toml"
refused "a faulty configuration is taken" inside systemctl reload rollcall
cp -p "$work/whole.toml" "$root/etc/rollcall/rollcall.toml"
sed -i 's/^url = .*8788.*/url = "http:\/\/127.0.0.1:8788\/others"/' "$root/etc/rollcall/rollcall.toml"
expect "systemd cannot reload it" inside systemctl reload rollcall
eventually "it has not read the configuration again" inside sh -c 'runuser -u rollcall -- rollcall reload | grep "nothing has changed"'
[ "$(main_pid)" = "$before" ] || fail "it was restarted"

step "Hanging it"
mkdir -p "$root/etc/systemd/system/rollcall.service.d"
printf '[Service]\nWatchdogSec=3\n' >"$root/etc/systemd/system/rollcall.service.d/watchdog.conf"
inside systemctl daemon-reload
inside systemctl restart rollcall
hung=$(main_pid)
sleep 5
[ "$(main_pid)" = "$hung" ] || fail "it was restarted although its clock ran"
inside sh -c "kill -STOP $hung"
eventually "it hangs for ever" inside sh -c "[ \$(systemctl show --property NRestarts --value rollcall) = 1 ]"
eventually "it takes no report after a hang" report ""
rm -r "$root/etc/systemd/system/rollcall.service.d"
inside systemctl daemon-reload

step "Holding its port open"
inside systemctl stop rollcall
expect "the port cannot be opened" inside systemctl enable --now rollcall.socket
inside systemctl start rollcall
(for _ in 1 2 3; do inside systemctl restart rollcall; done) &
restarts=$!
while kill -0 "$restarts" 2>/dev/null; do expect "a report was refused while it restarted" beside curl -fsS -o /dev/null http://127.0.0.1:8787/healthz; done
inside systemctl disable --now rollcall.socket 2>/dev/null
inside systemctl restart rollcall

step "Upgrading"
dpkg-deb --raw-extract "$package" "$work/newer"
sed -i 's/^Version: .*/Version: 99/' "$work/newer/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$work/newer" "$root/root/newer.deb" >/dev/null
old=$(main_pid)
expect "it cannot be upgraded" inside apt-get install --yes --no-install-recommends /root/newer.deb
[ "$(main_pid)" != "$old" ] || fail "the old one still runs"
expect "the configuration was replaced" grep -q '^\[destinations.receiver\]' "$root/etc/rollcall/rollcall.toml"
expect "it forgot its key" report ""
as_rollcall monitor list --json >"$work/said"
says '"backup"'

step "Removing"
expect "it cannot be removed" inside apt-get remove --yes rollcall
says "the data stay in /var/lib/rollcall"
refused "it still runs" inside systemctl is-active rollcall
expect "the data went" inside test -s /var/lib/rollcall/rollcall.db -a -s /etc/rollcall/rollcall.toml

step "Installing again"
expect "it cannot be installed again" inside apt-get install --yes --no-install-recommends /root/newer.deb
expect "it forgot its key" report ""

step "Purging"
expect "it cannot be purged" inside apt-get purge --yes rollcall
says "deleting the database and its backups in /var/lib/rollcall"
refused "something stayed" inside sh -c 'ls -d /var/lib/rollcall /etc/rollcall /usr/bin/rollcall /etc/systemd/system/*/rollcall.* | grep .'
refused "its user stayed" inside id rollcall
echo "The package was installed, used, hung, upgraded, removed, installed again and purged."
