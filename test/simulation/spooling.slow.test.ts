// Days of jobs whose client keeps what it cannot send; SPOOLED_DAYS plays more of them.

import { expect, test } from "bun:test";
import { spooledWorld } from "./spooling.ts";

const DAYS = Number(process.env["SPOOLED_DAYS"] ?? 6);
const FIRST = Number(process.env["SEED"] ?? 1);

test("R43: jobs that report late through outages raise no false alarm and lose none, and their day shows what ran", async () => {
  let late = 0;
  for (let seed = FIRST; seed < FIRST + DAYS; seed++) {
    const world = await spooledWorld(seed);
    expect([seed, ...world.faults]).toEqual([seed]);
    late += world.late;
  }
  expect(late).toBeGreaterThan(10 * DAYS);
}, 3_600_000);
