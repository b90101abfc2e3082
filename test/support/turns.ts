// Real turns of the event loop, for code that is tested without an engine.

import { systemClock } from "../../src/cli/clock.ts";
import { createTurnTaker } from "../../src/domain/turns.ts";
import { turnsOf } from "../../src/http/turn-promises.ts";

export const TURNS = createTurnTaker({ schedule: (run) => void setImmediate(run), clock: systemClock });

export const nextTurn = turnsOf(TURNS);
