// Real turns of the event loop, for code that is tested without an engine.

import { systemClock } from "../../src/cli/clock.ts";
import { createScheduler } from "../../src/domain/scheduler.ts";
import { createYield } from "../../src/http/yield.ts";

export const TURNS = createScheduler({ schedule: (run) => void setImmediate(run), clock: systemClock });

export const nextTurn = createYield(TURNS);
