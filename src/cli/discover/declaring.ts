// What `rollcall discover` declares of a job to the server: nothing of its command, which may hold secrets.

import type { Job } from "../../discover/discover.ts";
import { durationText } from "../../domain/time.ts";

/** One monitor of a bulk sync. */
export interface JobDeclaration {
  readonly key: string;
  readonly schedule?: string;
  readonly every?: string;
  readonly gracePeriod?: number;
  readonly timezone?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * How late a report may come beyond what its scheduler waits: for a machine that is busy, and a network that is away.
 */
const GRACE_SECONDS = 300;

/** In seconds. */
export const graceOf = ({ delaySeconds }: Job): number => GRACE_SECONDS + delaySeconds;

/** `host`: this machine's name. */
export const declarationOf = (job: Job, host: string): JobDeclaration => ({
  key: job.key,
  ...(job.schedule === null ? {} : { schedule: job.schedule }),
  ...(job.everySeconds === null ? {} : { every: durationText(job.everySeconds) }),
  ...(job.timezone === null ? {} : { timezone: job.timezone }),
  gracePeriod: graceOf(job),
  metadata: { host, user: job.user, where: job.where.replace(/:\d+$/, "") },
});
