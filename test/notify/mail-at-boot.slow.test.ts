// A machine that has just booted may have a link and no address of IPv4 yet. Linux alone has networks of their own.

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { isInstalled } from "../support/clients.ts";

setDefaultTimeout(60_000);

/** Runs what follows in a network that has a link without an address of IPv4, and asks this machine for names. */
const BOOTING = `
mount -t tmpfs tmpfs /mnt
echo nameserver 127.0.0.1 > /mnt/resolv.conf
mount --bind /mnt/resolv.conf /etc/resolv.conf
ip link set lo up
ip link add uplink type veth peer name router
ip link set uplink up
ip link set router up
ip address add fe80::1/64 dev uplink nodad
exec "$@"`;

const booting = (...command: string[]) => ["unshare", "-nm", "sh", "-ec", BOOTING, "sh", ...command];
const mayBoot = isInstalled("ip") && Bun.spawnSync(booting("true"), { stderr: "ignore" }).success;

test.skipIf(!mayBoot)("R36: a first mail before the network is up does not keep later ones from IPv4", async () => {
  const script = join(import.meta.dir, "mail-at-boot.ts");
  const child = Bun.spawn(booting(process.execPath, script), { stdout: "pipe", stderr: "inherit" });
  expect(await new Response(child.stdout).text()).toBe("delivered, 1 arrived");
});
