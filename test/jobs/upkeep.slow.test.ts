// The recipes for what keeps a machine well: certificates, upgrades, arrays and pools of disks. Real certbot against a
// real server of certificates, apt with a repository of its own. There is no array here and no ZFS.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { JOBS } from "../support/clients.ts";
import { until } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { hasMachine } from "../support/machine.ts";
import { type Host, openHost } from "../support/recipes.ts";

setDefaultTimeout(120_000);

const DONE = { exitCode: 0, screen: "" };
const failed = (status: number) => ["start", ["fail", `exit status ${status}`]];

/** Prepares the machine by a script of which every line must succeed. */
async function prepare(host: Host, script: string): Promise<void> {
  const { exitCode, screen } = await host.run(`set -e\n${script}`);
  if (exitCode !== 0) throw new Error(`the machine cannot be prepared: ${screen}`);
}

const settingsOf = (host: Host, monitor: string) =>
  host.folder.rows("SELECT schedule, every_seconds AS every FROM monitors WHERE key = ?", monitor)[0];

const HOUR = 3600;
const DAY = 24 * HOUR;

test.skipIf(!hasMachine("anacron")).concurrent("anacron runs its line, and what it runs is reported", async () => {
  await using host = await openHost();
  host.place("/etc/anacrontab");
  host.write("/usr/local/bin/backup", `#!/bin/sh\n${JOBS.succeeds}\n`);
  await host.run("anacron -d -f -n");
  host.write("/usr/local/bin/backup", `#!/bin/sh\n${JOBS.fails}\n`);
  await host.run("anacron -d -f -n");
  expect(host.heard("backup")).toEqual(["start", "complete", ...failed(3)]);
  expect(settingsOf(host, "backup")).toEqual({ schedule: null, every: 4 * DAY });
});

/** Pebble is what Let's Encrypt itself tests clients with; it issues whatever it is asked for. */
const startPebble = (port: number, managementPort: number, ownPort: number): string => `
mkdir -p /etc/pebble /etc/systemd/system/certbot.service.d
cd /etc/pebble
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost 2>/dev/null
cat >pebble.json <<END
{ "pebble": { "listenAddress": "127.0.0.1:${port}", "managementListenAddress": "127.0.0.1:${managementPort}",
  "certificate": "/etc/pebble/cert.pem", "privateKey": "/etc/pebble/key.pem", "httpPort": 1, "tlsPort": 2 } }
END
systemd-run --quiet --unit pebble -E PEBBLE_VA_NOSLEEP=1 -E PEBBLE_VA_ALWAYS_VALID=1 -E PEBBLE_WFE_NONCEREJECT=0 \
  pebble -config /etc/pebble/pebble.json
until curl -fsS -o /dev/null --cacert cert.pem https://localhost:${port}/dir 2>/dev/null; do sleep 0.1; done
export REQUESTS_CA_BUNDLE=/etc/pebble/cert.pem
printf '[Service]\\nEnvironment=REQUESTS_CA_BUNDLE=%s\\n' $REQUESTS_CA_BUNDLE >/etc/systemd/system/certbot.service.d/ca.conf
certbot certonly --quiet --standalone --http-01-address 127.0.0.1 --http-01-port ${ownPort} --no-eff-email --agree-tos \
  --server https://localhost:${port}/dir --domain example.org --email ada@example.org
systemctl daemon-reload
`;

test
  .skipIf(!hasMachine("certbot", "pebble", "openssl", "nginx"))
  .concurrent("certbot: a look, a renewal, a hook that fails and a renewal that fails are told", async () => {
    await using host = await openHost();
    const renew = async () => (await host.run("systemctl start certbot")).exitCode;
    host.place("/etc/systemd/system/certbot.service.d/rollcall.conf", "/etc/letsencrypt/renewal-hooks/deploy/reload");
    await prepare(host, startPebble(freePort(), freePort(), freePort()));
    // certonly runs no hook of this folder.
    expect(host.heard("certificate-example.org")).toEqual([]);
    expect(await renew()).toBe(0);
    expect(host.heard("certbot")).toEqual(["start", "complete"]);
    expect(settingsOf(host, "certbot")).toEqual({ schedule: null, every: 26 * HOUR });

    // From now on it is due each time.
    await prepare(host, "sed -i '1i renew_before_expiry = 9000 days' /etc/letsencrypt/renewal/example.org.conf");
    host.write("/etc/nginx/nginx.conf", "events {}\nhttp {}\n");
    await prepare(host, "systemctl start nginx");
    expect(await renew()).toBe(0);
    expect(host.heard("certificate-example.org")).toEqual(["start", "complete"]);
    expect(settingsOf(host, "certificate-example.org")).toEqual({ schedule: null, every: 70 * DAY });

    await prepare(host, "systemctl stop nginx");
    // certbot itself is content.
    expect(await renew()).toBe(0);
    expect(host.heard("certbot").slice(-2)).toEqual(["start", "complete"]);
    expect(host.heard("certificate-example.org").slice(2)).toEqual(failed(1));

    await prepare(host, "systemctl stop pebble");
    expect(await renew()).toBe(1);
    expect(host.heard("certbot").slice(-2)).toEqual(failed(1));
    expect(host.heard("certificate-example.org")).toHaveLength(4);
  });

/** A repository with one package, which is installed. */
const REPOSITORY = `
mkdir -p /srv/repository /srv/package/DEBIAN
echo 'deb [trusted=yes] file:/srv/repository ./' >/etc/apt/sources.list.d/local.list
echo 'Unattended-Upgrade::Origins-Pattern { "origin=Local"; };' >/etc/apt/apt.conf.d/99local
cat >/usr/local/bin/publish <<'END'
#!/bin/sh
# publish VERSION STATUS: the package in this version, whose installation ends so
set -e
cd /srv/repository
printf 'Package: rollcall-example\\nVersion: %s\\nArchitecture: all\\nMaintainer: Ada <ada@example.org>\\nDescription: x\\n' $1 \
  >/srv/package/DEBIAN/control
printf '#!/bin/sh\\nexit %s\\n' $2 >/srv/package/DEBIAN/postinst
chmod 755 /srv/package/DEBIAN/postinst
dpkg-deb --build /srv/package package-$1.deb >/dev/null
{ cat /srv/package/DEBIAN/control; printf 'Filename: ./package-%s.deb\\nSize: %s\\nSHA256: %s\\n' $1 $(stat -c %s package-$1.deb) \
  $(sha256sum package-$1.deb | cut -d' ' -f1); } >Packages
printf 'Origin: Local\\nSuite: stable\\nDate: %s\\nSHA256:\\n %s %s Packages\\n' "$(date -Ru)" \
  $(sha256sum Packages | cut -d' ' -f1) $(stat -c %s Packages) >Release
apt-get update -qq
END
chmod +x /usr/local/bin/publish
publish 1 0
dpkg --install /srv/repository/package-1.deb >/dev/null
`;

test
  .skipIf(!hasMachine("unattended-upgrade", "dpkg-deb"))
  .concurrent(
    "unattended-upgrades: an upgrade is told, one that fails, and nothing where apt does not let it begin",
    async () => {
      await using host = await openHost();
      const monitor = "unattended-upgrades";
      // The script that the service starts looks whether the last upgrade was today.
      const upgrade = () => host.run("rm -f /var/lib/apt/periodic/*; systemctl start apt-daily-upgrade");
      const version = async () => (await host.run("dpkg-query --show rollcall-example")).screen.trim().split("\t")[1];
      host.place("/usr/local/sbin/unattended-upgrade");
      host.write("/etc/apt/apt.conf.d/20auto-upgrades", 'APT::Periodic::Unattended-Upgrade "1";\n');
      await prepare(host, REPOSITORY);
      await prepare(host, "publish 2 0");
      expect(await upgrade()).toEqual(DONE);
      expect(host.heard(monitor)).toEqual(["start", "complete"]);
      expect(settingsOf(host, monitor)).toEqual({ schedule: null, every: 50 * HOUR });
      expect(await version()).toBe("2");

      await prepare(host, "publish 3 1");
      // The service succeeds all the same.
      expect(await upgrade()).toEqual(DONE);
      expect(host.heard(monitor).slice(2)).toEqual(failed(1));

      // Only what apt's other service downloads: no run.
      await prepare(host, "dpkg --remove --force-all rollcall-example >/dev/null; systemctl start apt-daily");
      expect(host.heard(monitor)).toHaveLength(4);

      host.write("/var/lib/dpkg/status", `${readFileSync(`${host.root}/var/lib/dpkg/status`, "utf8")}\nnonsense\n`);
      expect(await upgrade()).toEqual(DONE);
      expect(host.heard(monitor)).toHaveLength(4);
    },
  );

test
  .skipIf(!hasMachine("mdadm"))
  .concurrent(
    "mdadm: an array that is gone is told by the monitor and by a look, and a check that has nothing to do",
    async () => {
      await using host = await openHost();
      const file = "/etc/cron.d/raid";
      const check = "/etc/systemd/system/mdcheck_start.service.d/rollcall.conf";
      host.place(file, check, "/usr/local/sbin/raid-event", "/etc/mdadm/mdadm.conf");
      expect((await host.runLine(file, "raid-md0")).exitCode).toBe(4);
      await host.run("mdadm --monitor --oneshot /dev/md0");
      const gone = ["start", ["fail", "exit status 1: DeviceDisappeared"]];
      expect(host.heard("raid-md0")).toEqual([...failed(4), ...gone]);
      expect(host.folder.rows("SELECT type FROM alerts")).toEqual([{ type: "monitor.initial_failure" }]);
      // It tells of all arrays that they are there, too.
      await host.run("/usr/local/sbin/raid-event NewArray /dev/md0");
      expect(host.heard("raid-md0")).toHaveLength(4);
      await host.run("systemctl daemon-reload");
      expect(await host.run("systemctl start mdcheck_start")).toEqual(DONE);
      expect(host.heard("raid-check")).toEqual(["start", "complete"]);
      expect(settingsOf(host, "raid-check")).toEqual({ schedule: null, every: 36 * DAY });
    },
  );

/** What stands in for ZFS: units as its package has them, and a `zpool` that says what the real one says of a pool. */
const ZFS_UNITS = {
  "zfs-scrub@.service": "[Unit]\nDescription=zpool scrub on %i\n\n[Service]\nExecStart=/usr/sbin/zpool scrub -w %i\n",
  "zfs-scrub-monthly@.timer": "[Timer]\nOnActiveSec=0\nUnit=zfs-scrub@%i.service\n",
};
const ZPOOL = `#!/bin/sh
case "$*" in
  "scrub -w tank") exit 0 ;;
  "status -x tank") cat /run/health ;;
  *) exit 2 ;;
esac
`;

test
  .skipIf(!hasMachine())
  .concurrent("ZFS: the drop-in tells a scrub of a healthy pool, and fails for one that is not", async () => {
    await using host = await openHost();
    for (const [name, text] of Object.entries(ZFS_UNITS)) host.write(`/lib/systemd/system/${name}`, text);
    host.write("/usr/sbin/zpool", ZPOOL);
    host.place("/etc/systemd/system/zfs-scrub@.service.d/rollcall.conf");
    const scrub = async (health: string, count: number) => {
      host.write("/run/health", `${health}\n`);
      await host.run("systemctl daemon-reload; systemctl restart zfs-scrub-monthly@tank.timer");
      await until("a scrub", () => (host.heard("zfs-scrub-tank").length >= count ? true : null));
    };
    await scrub("pool 'tank' is healthy", 2);
    await scrub("  pool: tank\n state: DEGRADED\nerrors: No known data errors", 4);
    expect(host.heard("zfs-scrub-tank")).toEqual(["start", "complete", ...failed(1)]);
    expect(settingsOf(host, "zfs-scrub-tank")).toEqual({ schedule: null, every: 36 * DAY });
    expect(await host.run("systemd-analyze verify zfs-scrub@tank.service")).toEqual(DONE);
  });
