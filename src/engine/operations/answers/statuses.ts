// The statuses of a monitor, as operations are asked for them and answer them.

import type { Status } from "../../../domain/monitor/monitor.ts";
import { wordOf } from "../schema.ts";

export const STATUSES = ["pending", "healthy", "warning", "critical", "paused"] satisfies [Status, ...Status[]];

export const STATUS = wordOf(...STATUSES);
