// R47: connections beyond the limits wait, and one address cannot take all places.

import { expect, test } from "bun:test";
import { peerSiteNetwork } from "../../src/http/https.ts";
import { createMailConnections, mailConnectionToClose } from "../../src/http/mail/mail-places.ts";

test("connections wait for a place of their own address and one of all", () => {
  const places = createMailConnections({ served: 3, ofOne: 2 });
  const served: string[] = [];
  const enter = (id: string, address: string): void => places.enter(id, address, () => served.push(id));
  for (const id of ["a1", "a2", "a3"]) enter(id, "192.168.1.5");
  enter("b1", "192.168.1.6");
  enter("b2", "192.168.1.6");
  expect(served).toEqual(["a1", "a2", "b1"]);
  expect(places.leave("b1")).toBe(true);
  expect(served).toEqual(["a1", "a2", "b1", "b2"]);
  expect(places.leave("a3")).toBe(false);
  enter("a4", "192.168.1.5");
  places.leave("b2");
  expect(served).toEqual(["a1", "a2", "b1", "b2"]);
  places.leave("a1");
  expect(served).toEqual(["a1", "a2", "b1", "b2", "a4"]);
  places.leave("nobody");
});

test("of more connections than may be open, the newest of the address that has most is closed", () => {
  const open = ["192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.1", "192.0.2.2"].map((remoteAddress, id) => ({
    id,
    remoteAddress,
  }));
  expect(mailConnectionToClose(open, 5)).toBeNull();
  expect(mailConnectionToClose(open, 4)).toMatchObject({ id: 4 });
});

test("R45: in a private network each device counts by itself; elsewhere all that one customer may have", () => {
  const kept = ["192.168.1.5", "10.0.0.1", "172.16.3.4", "127.0.0.1", "fd00::1", "fe80::1", "::1"];
  for (const address of kept) expect(peerSiteNetwork(address)).toBe(address);
  expect(peerSiteNetwork("::ffff:192.168.1.5")).toBe("192.168.1.5");
  expect(peerSiteNetwork("203.0.113.9")).toBe("203.0.113");
  expect(peerSiteNetwork("2001:db8:1:2::9")).toBe("2001:db8:1");
});
