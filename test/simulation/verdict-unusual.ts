// The verdict on runs that took or take much longer or shorter than usual (R21): each is told once, is one that the job
// has reported, and is unusual by the notice's own figures.

import type { UnusualDetails } from "../../src/domain/message/notice.ts";
import { Contradiction } from "./failure.ts";
import type { Reception } from "./receivers.ts";
import { type Instant, iso, SECOND } from "./units.ts";

export interface UnusualVerdict {
  /** A start or an end was kept. */
  reported(key: string, at: Instant): void;
  received(reception: Reception, notice: UnusualDetails, at: Instant): void;
  /** The database or its instants are others now: what was reported by then is not compared any more. */
  forget(at: Instant): void;
}

const RUNS_MIN = 20;
const REPORTS_KEPT = 5_000;

export function unusualVerdict(): UnusualVerdict {
  const reports = new Map<string, Instant[]>();
  const told = new Map<string, number>();
  let knownSince = Number.NEGATIVE_INFINITY;

  function received({ receiver }: Reception, notice: UnusualDetails, at: Instant): void {
    const { monitor, startedAt = null, endedAt, tookSeconds, usualFromSeconds, usualToSeconds } = notice;
    const key = monitor.monitorKey;
    const wrong = (what: string): never => {
      throw new Contradiction(what, key, { receiver, notice, at: iso(at) }, []);
    };
    // The figures are rounded to seconds.
    const isLonger = tookSeconds + 1 >= Math.max(2.5 * (usualToSeconds - 1), usualToSeconds + 59);
    const isShorter = usualFromSeconds >= 20 && tookSeconds - 1 <= usualFromSeconds / 4;
    if (endedAt === null && !isLonger) wrong("a run was told as slow and is not");
    if (startedAt === null && !isLonger && !isShorter) wrong("a run was told as unusual and is not");
    const known = reports.get(key) ?? [];
    const isKnown = (instant: string | null): boolean =>
      instant === null || Date.parse(instant) <= knownSince || known.includes(Date.parse(instant));
    if (!isKnown(startedAt) || !isKnown(endedAt)) wrong("a run was told that nobody reported");
    if (known.length < RUNS_MIN && at > knownSince) wrong("a run was told as unusual beside too few");
    const name = `${receiver} ${key} ${startedAt} ${endedAt}`;
    const times = (told.get(name) ?? 0) + 1;
    told.set(name, times);
    // After a freeze several runs may end at one instant.
    const ended = endedAt === null ? 1 : known.filter((one) => one === Date.parse(endedAt)).length;
    if (times > Math.max(1, ended)) wrong("an unusual run was told again");
    if (endedAt === null && at > knownSince && at - Date.parse(startedAt!) < (tookSeconds - 1) * SECOND)
      wrong("a slow run was told as longer than it is");
  }

  return {
    reported: (key, at) => {
      const known = reports.get(key) ?? [];
      known.push(at);
      if (known.length > REPORTS_KEPT) known.shift();
      reports.set(key, known);
    },
    received,
    forget: (at) => {
      knownSince = at;
      told.clear();
    },
  };
}
