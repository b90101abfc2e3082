#!/usr/bin/env bash
# usage: test-image.sh, as root
# Builds the image on a Debian made here, and runs it as compose.yaml does: another user, nothing to write but its data, no rights.
# Needs mmdebstrap, buildah, podman and curl; the container shares this machine's network, at ports 8785 and 8786.
set -euo pipefail
cd "$(dirname "$0")/.."
# Podman needs the memberships of the new process; where both kinds of control groups are mounted, it wants only one.
if [ -z "${ROLLCALL_OWN_MOUNTS:-}" ]; then ROLLCALL_OWN_MOUNTS=1 exec unshare --mount "$0"; fi
if mountpoint --quiet /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi
work=$(mktemp -d)
name=rollcall-test-$$
receiver=""
trap '[ -z "$receiver" ] || kill "$receiver"; podman rm --force --volumes "$name" >/dev/null 2>&1 || true; podman volume rm "$name" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
# The limits of this machine are not ours to raise.
printf '[containers]\ndefault_ulimits = []\n' >"$work/containers.conf"
export CONTAINERS_CONF=$work/containers.conf
url=http://127.0.0.1:8786

step() { echo "==> $*"; }
fail() { echo "FAILED: $*" >&2; podman logs "$name" >&2 || true; exit 1; }
within() { podman exec "$name" "$@"; }
start() {
  podman run --detach --name "$name" --read-only --cap-drop all --security-opt no-new-privileges --network host \
    --cgroups disabled --ulimit host --no-healthcheck --env ROLLCALL_SERVER__LISTEN=127.0.0.1:8786 \
    --env ROLLCALL_TEAM__DESTINATIONS=ops --env ROLLCALL_DESTINATIONS__OPS__TYPE=webhook \
    --env ROLLCALL_DESTINATIONS__OPS__URL=http://127.0.0.1:8785/alerts \
    --env ROLLCALL_DESTINATIONS__OPS__SECRET=whsec_bm90IGEgc2VjcmV0OiBtYWtlIG9uZSB5b3Vyc2VsZi4= \
    --volume "$name:/var/lib/rollcall" localhost/rollcall >/dev/null
  for _ in $(seq 150); do if curl -fsS "$url/healthz" >/dev/null 2>&1; then return; fi; sleep 0.2; done
  fail "it does not start"
}

step "Building"
mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar"
base=$(buildah from scratch)
buildah add --quiet "$base" "$work/base.tar" / >/dev/null
buildah commit --quiet --rm "$base" localhost/rollcall-base >/dev/null
BASE=localhost/rollcall-base BUILD_OPTIONS="--isolation chroot --quiet" packaging/image.sh >/dev/null

step "Running"
start
key=$(within grep -om1 'ck_app_[[:alnum:]_]*' /var/lib/rollcall/first-key)
curl -fsS -o /dev/null "$url/api/v1/ping/backup/$key?schedule=0+2+*+*+*" || fail "it takes no report"
[ "$(within id -u)" = 8787 ] || fail "it is not rollcall's user"
if within touch /usr/bin/new 2>/dev/null; then fail "it may write to its image"; fi
within grep -Pqz 'CapEff:\t0+\n[^.]*NoNewPrivs:\t1\n' /proc/1/status || fail "it has rights"
health=$(podman inspect --format '{{json .HealthCheck.Test}}' localhost/rollcall 2>/dev/null || podman inspect --format '{{json .Config.Healthcheck.Test}}' localhost/rollcall)
[ "$health" = '["CMD","rollcall","app","list","--json"]' ] || fail "another health check: $health"
within rollcall app list --json >/dev/null || fail "its health check fails"
"${BUN:-bun}" -e 'Bun.serve({ port: 8785, hostname: "127.0.0.1", fetch: () => new Response("ok") })' &
receiver=$!
until curl -fsS -o /dev/null http://127.0.0.1:8785 2>/dev/null; do sleep 0.2; done
within rollcall notify test ops || fail "it tells nobody"

step "Restarting it"
podman stop --time 10 "$name" >/dev/null
[ "$(podman inspect --format '{{.State.ExitCode}}' "$name")" = 0 ] || fail "it did not stop by itself"
podman rm "$name" >/dev/null
start
within rollcall monitor list --json | grep -q '"backup"' || fail "it forgot its jobs"
echo "The image was built, run without rights, and run again on its data."
