# Sourced by test-package.sh and test-move.sh: a new Debian with systemd in a container, which sees no network but its own
# loopback; and words for what is expected of it. Needs root, mmdebstrap, systemd-nspawn and nsenter.
work=$(mktemp -d)
root=$work/root
container=""
receiver=""

finish() {
  if [ -n "$receiver" ]; then kill "$receiver" || true; fi
  if [ -n "$container" ]; then kill -KILL "$(pgrep -P "$container")" && wait "$container" || true; fi
  rm -rf "$work"
}
trap finish EXIT

inside() { nsenter --target "$(pgrep -P "$container")" --all "$@"; }
# A program of this machine, in the network of the container.
beside() { nsenter --target "$(pgrep -P "$container")" --net "$@"; }
# listen SCRIPT: a Bun script of this machine that goes on in the network of the container
listen() { nsenter --target "$(pgrep -P "$container")" --net "$(command -v "${BUN:-bun}")" -e "$1" & receiver=$!; }
as_rollcall() { inside runuser -u rollcall -- rollcall "$@"; }
step() { echo "==> $*"; }
fail() { echo "FAILED: $*" >&2; inside journalctl --no-pager -n 30 -u rollcall >&2 || true; exit 1; }
expect() { local what=$1; shift; "$@" >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "$what"; }; }
says() { grep -qF -- "$1" "$work/said" || { cat "$work/said" >&2; fail "nothing said: $1"; }; }
refused() { local what=$1; shift; if "$@" >"$work/said" 2>&1; then fail "$what"; fi; }
eventually() { local what=$1; shift; for _ in $(seq "${TRIES:-150}"); do if "$@" >/dev/null 2>&1; then return; fi; sleep 0.2; done; fail "$what"; }

# new_debian PACKAGE...: makes it, with these besides, and boots it; SUITE=trixie for another than bookworm
new_debian() {
  mmdebstrap --quiet --variant=minbase --include="systemd systemd-sysv adduser $*" "${SUITE:-bookworm}" "$root"
  systemd-nspawn --quiet --directory "$root" --boot --register=no --keep-unit --private-network --console=pipe </dev/null >"$work/console" 2>&1 &
  container=$!
  eventually "systemd does not run in a container here" inside systemctl is-system-running
}
