// What `rollcall discover` declares of a job to the server.

import type { Job } from "../discover/discover.ts";

/** How late a report may come beyond what its scheduler waits: for a machine that is busy, and a network that is away. */
const GRACE_SECONDS = 300;

/** In seconds. */
export const graceOf = ({ delaySeconds }: Job): number => GRACE_SECONDS + delaySeconds;
