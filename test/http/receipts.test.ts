// The answer to a heartbeat is written by hand: to the byte what its shape says, whatever the key and the warning are.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Receipt } from "../../src/engine/api.ts";
import { receiptBody, receiptText } from "../../src/http/api/receipts.ts";
import { VERSIONS } from "../../src/http/api/versions.ts";

test("R7: the text of an answer is that of its shape, in every version", () => {
  fc.assert(
    fc.property(
      fc.record({
        kind: fc.constantFrom<Receipt["kind"][]>("heartbeat", "start", "complete", "fail", "log"),
        monitorKey: fc.string({ unit: "binary", minLength: 1 }),
        at: fc.integer({ min: 0, max: 4_102_444_800_000 }),
        happenedAt: fc.option(fc.integer({ min: 0, max: 4_102_444_800_000 }), { nil: null }),
        durationSeconds: fc.option(fc.nat(), { nil: null }),
        message: fc.option(fc.string({ unit: "binary" }), { nil: null }),
        warning: fc.option(fc.string({ unit: "binary" }), { nil: null }),
      }),
      (receipt: Receipt) => {
        for (const { receipts } of VERSIONS)
          expect(receiptText(receipts)(receipt)).toBe(JSON.stringify(receiptBody(receipts, receipt)));
      },
    ),
  );
});
