// The values in force for a monitor without settings, by the table of settings: tests name only what they test, and a
// new setting needs no change in them.

import type { Watch } from "../../src/domain/monitor/monitor.ts";
import { DEFAULTS } from "../../src/domain/settings/settings.ts";

const {
  drillEverySeconds: _drill,
  outcomes: _outcomes,
  labels: _labels,
  note: _note,
  mailRule: _mailRule,
  ...watched
} = DEFAULTS;

/** A monitor without a schedule, in UTC, without reminders. */
export const PLAIN_WATCH: Watch = { ...watched, timezone: "UTC", reminders: { after: [], every: 0, max: 0 } };
