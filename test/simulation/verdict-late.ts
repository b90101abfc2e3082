// The verdict on a monitor whose client keeps what it could not send (R43): by what rollcall has heard, and when that
// happened. It restates no rules: no alarm without a cause in what was known then, none for what had ended well in its
// time, and incidents open and close in turn.

import type { LogFields } from "../../src/domain/log.ts";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { Contradiction } from "./failure.ts";
import type { Report } from "./job.ts";
import type { ExpectedAlert, RuleTerms } from "./rules-words.ts";
import { DAY, type Instant, iso, MINUTE, SECOND } from "./units.ts";
import type { MonitorVerdict, Raised } from "./verdict-monitor.ts";

export interface LateVerdict extends MonitorVerdict {
  /** Rollcall has kept this report at this instant of its clock. */
  heard(report: Report, at: Instant): void;
  /** An alert has arrived somewhere. */
  arrived(data: AlertData, at: Instant): void;
}

interface LateParts {
  readonly key: string;
  readonly about: object;
  readonly terms: RuleTerms;
  /** Since when the wall clock is right, by itself. */
  readonly soundSince: () => Instant;
  readonly told: (raised: Raised) => void;
}

interface Heard {
  readonly kind: Report["kind"];
  readonly runId: string | null;
  readonly happenedAt: Instant;
  readonly at: Instant;
}

const TRANSIT = 5 * SECOND;
/** Ages are whole seconds, and a request is on its way for some. */
const ROUGHLY = 10 * SECOND;
const KEPT = 1_500;
const NOTES_KEPT = 25;

export function lateVerdict({ key, about, terms, soundSince, told }: LateParts): LateVerdict {
  let known: readonly Heard[] = [];
  let incidents: { readonly from: Instant; to: Instant }[] = [];
  let open: ExpectedAlert | null = null;
  let count = 0;
  let checked = new Set<string>();
  let notes: string[] = [];

  const note = (what: string): void => {
    notes = [...notes.slice(1 - NOTES_KEPT), what];
  };
  const contradiction = (what: string, details = {}): Contradiction =>
    new Contradiction(what, key, { ...details, monitor: about }, notes);

  function raised(fields: LogFields): void {
    const [kind, reason, cause] = [fields["kind"], fields["reason"], fields["cause"]].map(String);
    const at = Date.parse(String(fields["trueAt"]));
    note(`${iso(at)} told: ${kind} ${reason} ${cause}`);
    if (reason === "opened") count += 1;
    const opening = open;
    const alert = { incident: count, kind, reason, cause, at, openedAt: opening?.openedAt ?? at } as ExpectedAlert;
    if (kind === "Recovered") {
      if (opening === null) throw contradiction("a recovery of no incident");
      incidents.at(-1)!.to = at;
    } else if (opening === null) incidents.push({ from: at, to: Number.POSITIVE_INFINITY });
    open = kind === "Recovered" ? null : (opening ?? alert);
    told({ alert, incidentId: String(fields["incident"]) });
  }

  function arrived({ incidentId, reason, cause, expectedAt, runId }: AlertData, at: Instant): void {
    const name = `${incidentId} ${reason} ${at}`;
    const isAlarm = reason === "opened" || reason === "new_cause";
    if (!isAlarm || checked.has(name) || at < soundSince()) return;
    checked.add(name);
    const until = known.filter((one) => one.at <= at);
    if (cause === "missed" && expectedAt !== null) {
      const slot = Date.parse(expectedAt);
      const filling = until.find((one) => one.at < at && fills(one, slot));
      if (filling !== undefined) throw contradiction("a miss of what had been heard", { expectedAt, filling });
    }
    if (cause === "failed" && !until.some((one) => one.kind === "fail"))
      throw contradiction("a failure that nothing reported", { at: iso(at) });
    const end = until.find((one) => runId !== null && one.runId === runId && one.kind !== "start" && one.at < at);
    if (cause === "unfinished" && end !== undefined && !isAgain(until, end))
      throw contradiction("a run not finished that had ended", { at: iso(at), end });
  }

  /** Its run was tried again after this end. */
  const isAgain = (heard: readonly Heard[], end: Heard): boolean =>
    heard.some(
      ({ kind, runId, happenedAt }) => kind === "start" && runId === end.runId && happenedAt >= end.happenedAt,
    );

  function fills({ kind, happenedAt }: Heard, slot: Instant): boolean {
    const until = slot + terms.graceMs - ROUGHLY;
    const { everyMs } = terms.rhythm;
    if (everyMs === null) return happenedAt >= slot + SECOND && happenedAt <= until;
    return kind !== "start" && happenedAt > slot - everyMs + ROUGHLY && happenedAt <= until;
  }

  /** The newest fact is a success, no other run is under way, and nothing has closed since. */
  function settled(at: Instant): void {
    const newest = known.reduce<Heard | null>((a, b) => (a === null || b.happenedAt > a.happenedAt ? b : a), null);
    if (open === null || newest === null || newest.kind === "start" || newest.kind === "fail") return;
    const { happenedAt, runId } = newest;
    if (newest.at < soundSince() || at < newest.at + MINUTE || open.at > newest.at) return;
    const { rhythm, graceMs } = terms;
    const next = rhythm.slots === null ? happenedAt + rhythm.everyMs : rhythm.slots.after(happenedAt);
    if (next + graceMs + TRANSIT <= at) return;
    const begunAt = known.find((one) => one.kind === "start" && one.runId === runId)?.happenedAt ?? happenedAt;
    const others = known.filter((one) => one.runId !== runId && one.happenedAt > begunAt - 2 * DAY);
    const isAlone = terms.maxRuntimeMs === null || runId === null || !others.some((one) => isUnended(one));
    const hasFailedSince = others.some((one) => one.kind === "fail" && one.happenedAt >= begunAt);
    if (runId !== null && (!isAlone || hasFailedSince || others.some(isUnended))) return;
    throw contradiction("an incident stands although its job ran well since", { open, newest });
  }

  const isUnended = ({ kind, runId }: Heard): boolean =>
    kind === "start" && !known.some((one) => one.runId === runId && one.kind !== "start");

  return {
    key,
    rules: () => null,
    create: () => {},
    report: () => {},
    refused: () => {},
    settled,
    pulledBack: () => {},
    raised,
    arrived,
    heard: ({ kind, runId, ageSeconds }, at) => {
      note(`${iso(at)} ${kind} ${runId ?? ""} of ${ageSeconds ?? 0} s ago`);
      known = [...known.slice(1 - KEPT), { kind, runId, happenedAt: at - (ageSeconds ?? 0) * SECOND, at }];
    },
    hadIncidentAt: () => null,
    hadIncidentSince: () => true,
    agree: () => {},
    keep: () => {
      const kept = { known, incidents: structuredClone(incidents), open, count };
      return () => {
        ({ known, open, count } = kept);
        incidents = structuredClone(kept.incidents);
        checked = new Set();
        note("a backup was restored");
      };
    },
    contradiction,
  };
}
