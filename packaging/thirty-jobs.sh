# Sourced by test-move.sh: thirty jobs as people write them, of cron and of systemd. Each notes each of its runs in
# /var/log/jobs; most are due a few minutes from now.

# So many of them run within minutes; monitors hear of so many. The others wait for their hour, or for a boot.
jobs=28
heard=26

plant_jobs() {
  inside useradd --create-home --shell /bin/bash alice
  inside useradd --create-home --shell /bin/sh bob
  # cronie starts nothing for a user whose home is missing.
  mkdir -p "$root/var/www"
  mkdir -p "$root/var/log/jobs" "$root/home/alice/my scripts" "$root/home/alice/.config/systemd/user"
  chmod 1777 "$root/var/log/jobs"
  cat >"$root/usr/bin/job" <<'SH'
#!/bin/sh
# Notes that it ran; fails if it is broken.
echo "$(date +%T) $(id -un) $*" >>"/var/log/jobs/$1"
echo "$1 has run"
[ ! -e "/var/log/jobs/.broken-$1" ]
SH
  chmod 755 "$root/usr/bin/job"
  ln -s /usr/bin/job "$root/home/alice/my scripts/report.sh"
  # What cron sends, a file for each mail.
  mkdir "$root/var/log/mails"
  chmod 1777 "$root/var/log/mails"
  cat >"$root/usr/sbin/sendmail" <<'SH'
#!/bin/sh
exec cat >"$(mktemp "/var/log/mails/$(id -un)-XXXXXX")"
SH
  chmod 755 "$root/usr/sbin/sendmail"
  plant_crontabs
  plant_units
}

plant_crontabs() {
  inside crontab - <<TAB
# of the administrator
MAILTO=""
PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

$(soon 5) * * * job backup --full > /var/log/backup.log 2>&1
* * * * * flock -n /run/poll.lock job poll
@reboot job warm-up
$(soon 6) * * * nice -n 10 job vacuum; true
TAB
  inside crontab -u alice - <<TAB
SHELL=/bin/bash
MAILTO=alice
*/2 * * * * cd "\$HOME" && [[ -d . ]] && job sync 'it'"'"'s'
$(soon 5) * * * "\$HOME/my scripts/report.sh" report \$(date +\\%F)
$(soon 5)	*	*	*	job tabs
$(soon 6) * * * xargs job mailing%first%second
TAB
  inside crontab -u bob - <<TAB
*/5 * * * * job feeds >/dev/null
@hourly job hourly
$(soon 5) 1-31 * * job invoices || echo "invoices: \$?"
TAB
  inside crontab -u www-data - <<TAB
* * * * * job queue-worker >/dev/null 2>&1
*/2 * * * * cd /tmp; job "sessions" --older-than '7 days' | cat
TAB
  sed -i "s/^25 6\t/$(soon 6 | tr ' ' '\t')\t/" "$root/etc/crontab"
  printf '#!/bin/sh\njob daily-script\n' >"$root/etc/cron.daily/site"
  chmod 755 "$root/etc/cron.daily/site"
  cat >"$root/etc/cron.d/shop" <<TAB
SHELL=/bin/sh
MAILTO=ops@example.org
*/3 * * * * www-data job orders --all
$(soon 6) * * * www-data cd / && job stock && job prices
$(soon 6) * * sun-sat root test -x /usr/bin/job && job images
TAB
  inside setfacl -m u:bob:r /etc/cron.d/shop
  inside setfattr -n user.origin -v 'the shop' /etc/cron.d/shop
  touch -d '2024-02-29 12:34:56.789' "$root/etc/cron.d/shop"
  # Without an end of its last line: Debian's cron reads none of it.
  printf '0 4 * * * root job never' >"$root/etc/cron.d/unfinished"
  printf '%s * * * root job crlf\r\n' "$(soon 6)" >"$root/etc/cron.d/windows"
}

# unit NAME LINE...: a service that runs the job NAME, and its timer; lines of [Timer] begin with a T
unit() {
  local name=$1 line
  shift
  { printf '[Unit]\nDescription=%s\n[Timer]\n' "$name"; for line in "$@"; do case $line in T*) echo "${line#T }" ;; esac; done
    printf '[Install]\nWantedBy=timers.target\n'; } >"$units/$name.timer"
  { printf '[Unit]\nDescription=%s\n[Service]\nType=oneshot\n' "$name"; for line in "$@"; do case $line in S*) echo "${line#S }" ;; esac; done; } >"$units/$name.service"
}

plant_units() {
  units=$root/etc/systemd/system
  unit nightly "T OnCalendar=*-*-* $(clock 6)" "T AccuracySec=1s" "S ExecStart=/usr/bin/job nightly"
  unit weekly "T OnCalendar=Mon..Sun *-*-* $(clock 6)" "T Persistent=true" "S User=backup" "S ExecStart=/usr/bin/job weekly \"two words\""
  unit reindex "T OnCalendar=*:0/2" "T AccuracySec=1s" "S DynamicUser=yes" "S ProtectSystem=strict" "S ReadWritePaths=/var/log/jobs" "S ExecStart=-/usr/bin/job reindex"
  unit restic "T OnCalendar=*-*-* $(clock 6)" "T RandomizedDelaySec=20s" "T AccuracySec=1s" "S User=bob" "S Environment=WHAT=restic" "S ExecStartPre=/bin/true" "S ExecStart=/bin/true" "S ExecStart=/usr/bin/job \$WHAT"
  unit dump@ "T OnCalendar=*-*-* $(clock 6)" "T AccuracySec=1s" "S ExecStart=/usr/bin/job dump-%i"
  unit sealed "T OnCalendar=*:0/2" "T AccuracySec=1s" "S PrivateNetwork=yes" "S ExecStart=/usr/bin/job sealed"
  unit often "T OnBootSec=10" "T OnUnitActiveSec=60" "T AccuracySec=1s" "S ExecStart=/usr/bin/job often"
  unit queue "T OnActiveSec=20" "T OnUnitInactiveSec=90" "T AccuracySec=1s" "S ExecStart=/usr/bin/job queue"
  unit manual "T OnCalendar=*:0/2" "T AccuracySec=1s" "S ExecStart=/usr/bin/job manual"
  units=$root/home/alice/.config/systemd/user
  unit notes "T OnCalendar=*:0/2" "T AccuracySec=1s" "S ExecStart=/usr/bin/job notes"
  inside chown -R alice:alice /home/alice
  inside loginctl enable-linger alice
}
