#!/bin/sh
# usage: install.sh install|uninstall; reads DESTDIR, PREFIX and EXECUTABLE.
# Puts rollcall and what belongs to it below DESTDIR and PREFIX, or takes that away again. Configuration and data stay: neither
# step changes a rollcall.toml that is there, nor the data directory.
set -eu
step=$1
cd "$(dirname "$0")/.."
root=${DESTDIR:-}$PREFIX
etc=${DESTDIR:-}/etc/rollcall

# mode, what to install, where
files() {
  cat <<LIST
755 $EXECUTABLE bin/rollcall
755 src/http/rollcall-run.sh bin/rollcall-run
644 packaging/rollcall.service lib/systemd/system/rollcall.service
644 packaging/rollcall.socket lib/systemd/system/rollcall.socket
644 packaging/rollcall-flush.service lib/systemd/system/rollcall-flush.service
644 packaging/rollcall-flush.timer lib/systemd/system/rollcall-flush.timer
644 packaging/rollcall.sysusers lib/sysusers.d/rollcall.conf
644 packaging/rollcall.tmpfiles lib/tmpfiles.d/rollcall.conf
644 dist/share/rollcall.1.gz share/man/man1/rollcall.1.gz
LIST
  if [ -d dist/share/completions ]; then
    cat <<LIST
644 dist/share/completions/bash share/bash-completion/completions/rollcall
644 dist/share/completions/zsh share/zsh/site-functions/_rollcall
644 dist/share/completions/fish share/fish/vendor_completions.d/rollcall.fish
LIST
  fi
  [ ! -d dist/share/doc ] || (cd dist/share/doc && find . -type f) | while read -r document; do
    echo "644 dist/share/doc/$document share/doc/rollcall/$document"
  done
}

if [ "$step" = uninstall ]; then
  # A job under `rollcall run` would not run without it. Codes other than 1: all jobs are as they were, but the server
  # could not be told; or rollcall itself no longer starts.
  if [ -z "${DESTDIR:-}" ] && [ -x "$root/bin/rollcall" ]; then
    undo() { "$root/bin/rollcall" discover --undo --force --yes "$@"; }
    code=0
    if [ "$(id -u)" = 0 ]; then
      undo --all-users || code=$?
      # What lies in a user's home is that user's to break, and must not hold up the administrator.
      [ "$code" != 1 ] || { code=0; undo >/dev/null || code=$?; }
    else
      undo || code=$?
    fi
    [ "$code" != 1 ] || { echo "some jobs still run under rollcall, so it stays" >&2; exit 1; }
  fi
  files | while read -r _ _ to; do rm -f "$root/$to"; done
  rm -rf "$root/share/doc/rollcall"
  echo "removed rollcall; /etc/rollcall and /var/lib/rollcall are as they were"
  exit
fi

# A running rollcall keeps its old file: install(1) makes a new one.
files | while read -r mode from to; do install -D -m "$mode" "$from" "$root/$to"; done
for unit in rollcall.service rollcall-flush.service; do
  sed "s|/usr/bin/|$PREFIX/bin/|" "packaging/$unit" >"$root/lib/systemd/system/$unit"
done
[ -e "$etc/rollcall.toml" ] || install -D -m 640 dist/share/rollcall.toml "$etc/rollcall.toml"
[ -n "${DESTDIR:-}" ] || cat <<'NEXT'
next, as root:
  systemd-sysusers && systemd-tmpfiles --create rollcall.conf && chgrp rollcall /etc/rollcall/rollcall.toml
  systemctl daemon-reload && systemctl enable --now rollcall
NEXT
