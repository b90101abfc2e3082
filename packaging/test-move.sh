#!/usr/bin/env bash
# usage: test-move.sh, as root
# Moves the jobs of a new Debian to rollcall, as a person would, with a real cron and a real systemd: thirty jobs of several
# users beside those of Debian's packages. Each runs before and after; one breaks and alarms; --undo and a removal of the
# package put everything back. Prints each command that a person types, and how long it took. Needs what container.sh needs.
# SUITE=trixie CRON=cronie takes another Debian, and that cron instead of its own.
# With EXAMPLE=FILE it writes what the commands have printed there.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/container.sh
example=${EXAMPLE:-$work/example}
: >"$example"
commands=0
typing=0

# typed WHAT COMMAND: a person types it, as root
typed() {
  local began=$EPOCHREALTIME
  commands=$((commands + 1))
  { echo "# $2"; echo; } >>"$example"
  inside sh -c "cd /root && $2" >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "$1"; }
  { cat "$work/said"; echo; } >>"$example"
  typing=$(awk "BEGIN { print $typing + $EPOCHREALTIME - $began }")
  awk "BEGIN { printf \"    %-100s %5.1f s\n\", \"$(sed 's/[\\"]/\\&/g' <<<"$2")\", $EPOCHREALTIME - $began }"
}

# Everything that discover may touch, byte for byte: mode, owner, time, rights, attributes, content. Of crontabs what
# crontab(1) shows: it writes the day of the last change into the file.
picture() {
  inside sh -c '
    for file in $(find /etc/crontab /etc/cron.d /etc/cron.*ly /etc/systemd /home/*/.config ! -type d ! -name rollcall.service | LC_ALL=C sort); do
      stat -c "%n %A %U:%G %y" "$file"
      getfacl --absolute-names --omit-header "$file"
      getfattr --absolute-names --dump "$file"
      sha256sum <"$file"
    done
    for user in root alice bob www-data; do echo "crontab of $user"; crontab -u "$user" -l; done
    systemctl list-timers --all --no-legend --plain | awk "{ print \$(NF - 1), \$NF }" | LC_ALL=C sort'
}

ran() { inside sh -c 'cd /var/log/jobs && ls | LC_ALL=C sort'; }
has_run() { [ "$(inside sh -c 'ls /var/log/jobs | wc -l')" -ge "$1" ]; }
monitors() { as_rollcall monitor list --json; }
are_healthy() { [ "$(monitors | jq '[.[] | select(.status == "healthy")] | length')" -ge "$1" ]; }

step "Making the package and a new Debian"
package=$work/rollcall.deb
packaging/deb.sh "$(packaging/version.sh)" "$(dpkg --print-architecture)" dist/rollcall "$package"
new_debian "${CRON:-cron}" acl attr dbus dbus-user-session libpam-systemd
cp "$package" "$root/root/rollcall.deb"

step "Planting thirty jobs"
# Daily ones are due in some minutes: enough to look at the list first.
inside ln -sf /usr/share/zoneinfo/Europe/Berlin /etc/localtime
echo Europe/Berlin >"$root/etc/timezone"
inside hostname web1
soon() { inside date -d "+$1 minutes" '+%-M %-H'; }
clock() { inside date -d "+$1 minutes" '+%H:%M:00'; }
. packaging/thirty-jobs.sh
plant_jobs
# cronie looks for sendmail only as it starts.
inside systemctl restart "${CRON:-cron}"
expect "the timers do not start" inside systemctl daemon-reload
expect "the timers do not start" inside systemctl enable --now nightly.timer weekly.timer reindex.timer restic.timer dump@main.timer dump@blobs.timer sealed.timer often.timer queue.timer
expect "the timer does not start" inside systemctl start manual.timer
expect "the timer of a user does not start" inside systemd-run --quiet --uid=alice --property=PAMName=login --wait --pipe systemctl --user enable --now notes.timer
expect "systemd finds faults in the units" inside systemd-analyze verify nightly.timer weekly.timer reindex.timer restic.timer dump@main.timer dump@blobs.timer sealed.timer
picture >"$work/before"

step "Moving them"
began=$SECONDS
typed "it cannot be installed" "apt-get install --yes --quiet ./rollcall.deb >/dev/null"
# The first report takes the key out of the file.
typed "no first key" "cp /var/lib/rollcall/first-key /root/first-key"
typed "no key is made" "runuser -u rollcall -- rollcall key create default --scope ping 2>/dev/null | head -1 >/etc/rollcall/client.key"
typed "no settings" "printf 'url = \"http://127.0.0.1:8787\"\nkey_file = \"/etc/rollcall/client.key\"\n' >/etc/rollcall/client.toml"
typed "no list" "rollcall discover --all"
typed "no difference" "rollcall discover --diff --all"
listed=$SECONDS
# Five jobs are left out, because their exit status does not say whether they succeeded. Their keys take them as they are.
typed "it is not applied" "ROLLCALL_KEY=\$(grep -om1 'ck_app_[[:alnum:]_]*' /root/first-key) rollcall discover --apply --all --skip '*.timer of *' || [ \$? = 1 ]"
says "The exit status of 5 jobs does not say whether the job succeeded."
typed "the five are not applied" "ROLLCALL_KEY=\$(grep -om1 'ck_app_[[:alnum:]_]*' /root/first-key) rollcall discover --apply --only web1-job-sync web1-job-invoices web1-job-poll web1-job-vacuum web1-job-sessions"
typed "a user cannot apply" "su - alice -c \"ROLLCALL_KEY=\$(grep -om1 'ck_app_[[:alnum:]_]*' /root/first-key) rollcall discover --apply --only 'notes.timer of alice'\""
moved=$SECONDS
inside sh -c 'rm -f /var/log/jobs/* /var/log/mails/*'
picture >"$work/wrapped"
declared=$(monitors | jq length)
expect "systemd finds faults in the wrapped units" inside sh -c 'cd /etc/systemd/system && systemd-analyze verify --man=no $(ls -d *.service.d | sed "s/\.d$//")'
refused "systemd does not know the drop-ins" inside sh -c 'systemctl show --property NeedDaemonReload "*.service" | grep yes'
timers() { grep '\.timer ' "$1"; }
cmp <(timers "$work/before") <(timers "$work/wrapped") || fail "other timers are active than before"

step "Waiting for each job to run, by cron and by systemd"
TRIES=2400 eventually "not every job has run: $(ran)" has_run "$jobs"
TRIES=100 eventually "not every job is healthy" are_healthy "$heard"
healthy=$SECONDS
ran | sed 's/^/    /' | column -c 110

step "Breaking a job"
listen 'Bun.serve({ port: 8788, hostname: "127.0.0.1", fetch: async (request) => { console.log(await request.text()); return new Response("ok"); } })' >"$work/alerts"
typed "no destination" "printf '[destinations.receiver]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:8788/\"\nsecret = \"whsec_bm90IGEgc2VjcmV0OiBtYWtlIG9uZSB5b3Vyc2VsZi4=\"\n' >>/etc/rollcall/rollcall.toml"
typed "it is not the team's" "sed -i '/^\[team\]/,/^$/s/^#destinations = .*/destinations = [\"receiver\"]/' /etc/rollcall/rollcall.toml"
typed "it takes no destination" "systemctl reload rollcall"
broken=$SECONDS
inside touch /var/log/jobs/.broken-poll
TRIES=600 eventually "no alert came" grep -q 'web1-job-poll' "$work/alerts"
alerted=$SECONDS
inside rm /var/log/jobs/.broken-poll
TRIES=600 eventually "no recovery came" grep -q 'Recovered' "$work/alerts"

step "Taking it back"
inside sh -c 'cp $(ls -t /var/log/mails/alice-* | head -1) /root/mail-wrapped'
typed "a user cannot take it back" "su - alice -c \"ROLLCALL_KEY=\$(grep -om1 'ck_app_[[:alnum:]_]*' /root/first-key) rollcall discover --undo\""
typed "it is not taken back" "ROLLCALL_KEY=\$(grep -om1 'ck_app_[[:alnum:]_]*' /root/first-key) rollcall discover --undo"
picture >"$work/undone"
diff "$work/before" "$work/undone" || fail "not everything is as it was"
refused "systemd does not know that the drop-ins are gone" inside sh -c 'systemctl show --property NeedDaemonReload "*.service" | grep yes'
refused "a file of ours stayed" inside sh -c 'find / -xdev -name ".rollcall*" | grep .'
inside sh -c 'rm -f /var/log/jobs/sync /var/log/mails/*'
TRIES=700 eventually "cron does not run the line that is back" inside sh -c 'ls /var/log/mails/alice-*'
body() { inside sed '1,/^$/d' "$1"; }
cmp <(body /root/mail-wrapped) <(body "$(inside sh -c 'ls /var/log/mails/alice-* | head -1')") || fail "cron sent another mail than before"

step "Removing the package while the jobs are wrapped"
typed "it is not applied again" "ROLLCALL_KEY=\$(grep -om1 'ck_app_[[:alnum:]_]*' /root/first-key) rollcall discover --apply --all --skip '*.timer of *' || [ \$? = 1 ]"
typed "a user cannot apply again" "su - alice -c \"ROLLCALL_KEY=\$(grep -om1 'ck_app_[[:alnum:]_]*' /root/first-key) rollcall discover --apply --only 'notes.timer of alice'\""
refused "the user's timer is not wrapped" cmp <(picture) "$work/before"
# What a user has damaged must not hold up the removal.
inside sh -c 'echo "{half" >/home/alice/.local/state/rollcall/discover/manifest.json'
typed "it cannot be removed" "apt-get remove --yes rollcall"
says "manifest.json is damaged"
picture >"$work/removed"
diff "$work/before" "$work/removed" || fail "not everything is as it was"

echo "$declared jobs were watched. Until the list: $((listed - began)) s. Until they were wrapped: $((moved - began)) s. Until each had run and was healthy: $((healthy - began)) s. From the fault to the alert: $((alerted - broken)) s. $commands commands, which took $(printf %.1f "$typing") s."
