// The executable without a destination that can deliver (R36): it says so wherever somebody might look.

import { expect, test } from "bun:test";
import { firstKeyOf, openFolder } from "../support/executable.ts";
import { ask } from "../support/http-client.ts";

test("R36: without a destination that can deliver, serve says so at its start; /readyz and warning repeat it", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  const reason = /no destination/;
  expect(await service.logged("not_ready")).toMatchObject({ trouble: expect.stringMatching(reason) });
  const ready = await ask(`${service.url}/readyz`);
  expect(ready.status).toBe(503);
  expect(ready.text).toMatch(reason);
  const answer = await ask(`${service.url}/api/v1/ping/job/${firstKeyOf(service)}?schedule=0+3+*+*+*`);
  expect(answer.json).toMatchObject({ status: "ok", warning: expect.stringMatching(reason) });
});
