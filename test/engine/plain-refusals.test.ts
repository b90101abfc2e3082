// R35: what was refused for its plain HTTP, counted by network within bounds.

import { expect, test } from "bun:test";
import { createPlainHttpRefusals } from "../../src/engine/intake/plain-refusals.ts";

test("each network is counted, the newest first, and the one that was silent for longest makes room", () => {
  const { note, all } = createPlainHttpRefusals();
  note("192.168.1.7", 1);
  note("203.0.113", 2);
  note("192.168.1.7", 3);
  expect(all()).toEqual([
    { network: "192.168.1.7", times: 2, firstAt: 1, at: 3 },
    { network: "203.0.113", times: 1, firstAt: 2, at: 2 },
  ]);
  for (let place = 0; place < 199; place++) note(`10.0.0.${place}`, 10 + place);
  expect(all()).toHaveLength(200);
  expect(all().map(({ network }) => network)).not.toContain("203.0.113");
});
