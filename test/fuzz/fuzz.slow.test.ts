// A short attack on the executable with every `make test-all`; `test/task fuzz` and `test/task torture` make long ones
// of the same kind.

import { expect, test } from "bun:test";
import { runSample } from "../torture/part.ts";
import { pages, requests } from "../torture/requests.ts";

test("random requests are answered as R1 says, and the service goes on as before", async () => {
  const { faults, figures } = await runSample(requests);
  expect(faults).toEqual([]);
  expect(figures.get("answered 200")).toBeGreaterThan(250);
}, 300_000);

test("random requests to pages get whole pages in which no text of others is markup, and never a 5xx", async () => {
  const { faults, figures } = await runSample(pages);
  expect(faults).toEqual([]);
  expect(figures.get("answered a page")).toBeGreaterThan(100);
}, 300_000);
