// The gaps the domain is told of (R26): spans in which a report could have been lost through us. This release records
// none, so silence is always the job's; the core already judges by them.

import type { Gap } from "../domain/monitor.ts";

export const NO_GAPS: readonly Gap[] = [];
