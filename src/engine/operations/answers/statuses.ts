// The statuses of a monitor, as operations are asked for them and answer them.

import { STATUSES } from "../../../domain/monitor/monitor.ts";
import { wordOf } from "../schema.ts";

export const STATUS = wordOf(...STATUSES);
