// A short attack on the executable with every `make test`; `make fuzz` makes a long one of the same kind. The seed stays the
// same unless SEED says another, so that no test fails by bad luck alone.

import { expect, test } from "bun:test";
import { attack } from "./attack.ts";

const seed = Number(process.env["SEED"] ?? 1);

test(`random requests are answered as R1 says, and the service goes on as before (SEED=${seed})`, async () => {
  const { counts, findings } = await attack({ seed, requests: 5_000 });
  expect(findings).toEqual([]);
  expect(counts.get("200")).toBeGreaterThan(250);
}, 120_000);
