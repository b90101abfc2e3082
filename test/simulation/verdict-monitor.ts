// The verdict on one monitor's alerts: rollcall has raised exactly those that the rules demand by then, no more and no
// less. Keeps the last events, for the person who must find out why not.

import type { LogFields } from "../../src/domain/log.ts";
import { Contradiction } from "./failure.ts";
import { monitorRules } from "./rules.ts";
import type { ExpectedAlert, ExpectedUnknown, KnownGap, MonitorRules, Report, RuleTerms } from "./rules-words.ts";
import { type Instant, iso, SECOND } from "./units.ts";

/** An alert that was told and expected, with the number its incident has in rollcall. */
export interface Raised {
  readonly alert: ExpectedAlert;
  readonly incidentId: string;
}

export interface MonitorVerdict {
  readonly key: string;
  /** Null: rollcall does not know it yet. */
  rules(): MonitorRules | null;
  create(terms: RuleTerms, at: Instant): void;
  /** Rollcall has kept a report that arrived at this instant. */
  report(report: Report, at: Instant): void;
  /** Rollcall has refused one. `repeats`: nothing of it was new in its minute. */
  refused(at: Instant, repeats: boolean): void;
  /** Rollcall has settled everything that was due by then. */
  settled(at: Instant): void;
  pulledBack(now: Instant, backMs: number): void;
  /** Rollcall says that it raised an alert. */
  raised(fields: LogFields): void;
  /** Whether an incident was open at this instant; null: it opened or closed just then. */
  hadIncidentAt(at: Instant): boolean | null;
  /** Whether one was open at some time from this instant on. */
  hadIncidentSince(at: Instant): boolean;
  /** Nothing told so far is without a cause. */
  agree(): void;
  /** See `MonitorRules.keep`. */
  keep(): () => void;
  contradiction(what: string, details?: Readonly<Record<string, unknown>>): Contradiction;
}

interface Parts {
  readonly key: string;
  /** For the reader of a contradiction. */
  readonly about: object;
  readonly gaps: readonly KnownGap[];
  readonly agreed: (raised: Raised) => void;
  readonly unknown: (unknown: ExpectedUnknown) => void;
}

const NOTES_KEPT = 25;
/** What is due within one second is judged in it. */
const JUST_THEN = 2 * SECOND;

export function monitorVerdict({ key, about, gaps, agreed, unknown }: Parts): MonitorVerdict {
  let rules: MonitorRules | null = null;
  const expected: ExpectedAlert[] = [];
  const told: LogFields[] = [];
  const incidents: { readonly from: Instant; to: Instant }[] = [];
  const notes: { readonly what: string; readonly at: Instant }[] = [];

  function note(what: string, at: Instant): void {
    notes.push({ what, at });
    if (notes.length > NOTES_KEPT) notes.shift();
  }

  const contradiction = (what: string, details = {}): Contradiction =>
    new Contradiction(
      what,
      key,
      { ...details, monitor: about, gaps: gaps.slice(-6).map(({ from, to }) => `${iso(from)} to ${iso(to)}`) },
      notes.map(({ what, at }) => `${iso(at)} ${what}`),
    );

  /** Takes off what both say; what is left on one side is not agreed on yet. */
  function compare(): void {
    while (expected.length > 0 && told.length > 0) {
      const alert = expected.shift()!;
      if (alert.isForPeople && !isSame(alert, told[0]!)) continue;
      const said = told.shift()!;
      if (!isSame(alert, said)) throw contradiction("another alert was told than the rules have", { alert, said });
      agreed({ alert, incidentId: String(said["incident"]) });
    }
  }

  function compareReport(): void {
    compare();
    while (expected[0]?.isForPeople) expected.shift();
    if (expected[0] !== undefined) throw contradiction("an alert is missing", { alert: expected[0] });
  }

  /** At a report something may have been told already that comes of the next one in its batch; not so here. */
  function compareAll(): void {
    compareReport();
    if (told[0] !== undefined) throw contradiction("an alert without a cause", { said: told[0] });
  }

  /** What the clock says now. */
  let wall: Instant = Number.NEGATIVE_INFINITY;

  /** Incidents that opened while the clock was behind, and what it said then: they keep that time (R26). */
  let openedBehind = new Map<number, Instant>();

  function asOpened(alert: ExpectedAlert): ExpectedAlert {
    const { incident, reason, openedAt } = alert;
    if (reason === "opened") {
      if (openedAt > wall) openedBehind.set(incident, wall);
      else openedBehind.delete(incident);
    }
    return { ...alert, openedAt: openedBehind.get(incident) ?? openedAt };
  }

  function create(terms: RuleTerms, at: Instant): void {
    note("created", at);
    const tell = (ruled: ExpectedAlert): void => {
      const alert = notAfter(asOpened(ruled), wall);
      note(`expected: ${alert.kind} ${alert.reason} ${alert.cause}`, alert.at);
      if (alert.reason === "opened") incidents.push({ from: alert.at, to: Number.POSITIVE_INFINITY });
      if (alert.kind === "Recovered") incidents.at(-1)!.to = alert.at;
      expected.push(alert);
    };
    const leave = (found: ExpectedUnknown): void => {
      note(`unknown: ${found.slot === null ? "run" : iso(found.slot)}`, found.at);
      unknown(found);
    };
    rules = monitorRules(terms, at, gaps, tell, leave);
  }

  function keep(): () => void {
    compareAll();
    const [kept, putBackRules, known] = [rules, rules?.keep(), structuredClone(incidents)];
    const keptBehind = new Map(openedBehind);
    return () => {
      rules = kept;
      openedBehind = new Map(keptBehind);
      putBackRules?.();
      expected.length = 0;
      told.length = 0;
      incidents.splice(0, incidents.length, ...structuredClone(known));
      notes.length = 0;
      note("a backup was restored", rules?.newestAt() ?? 0);
    };
  }

  return {
    key,
    rules: () => rules,
    create,
    report: (report, at) => {
      wall = at;
      note(`${report.kind} ${report.runId ?? ""}`, at);
      rules!.report(report, at);
      compareReport();
    },
    refused: (at, repeats) => {
      wall = at;
      note("refused", at);
      rules?.refused(at, repeats);
      compareReport();
    },
    settled: (at) => {
      wall = at;
      rules?.look(at);
      compareAll();
    },
    pulledBack: (now, backMs) => {
      wall = now;
      note("pulled back", now);
      rules?.pullBack(now, backMs);
      compareAll();
    },
    raised: (fields) => {
      note(`told: ${fields["kind"]} ${fields["reason"]} ${fields["cause"]}`, Date.parse(String(fields["trueAt"])));
      told.push(fields);
      wall = Math.max(wall, Date.parse(String(fields["trueAt"])));
      // What time brings about is expected by now; what a report does is, as soon as that is known to be kept.
      rules?.look(Date.parse(String(fields["trueAt"])));
      compare();
    },
    hadIncidentAt: (at) => {
      if (incidents.some(({ from, to }) => Math.abs(at - from) <= JUST_THEN || Math.abs(at - to) <= JUST_THEN))
        return null;
      return incidents.some(({ from, to }) => from <= at && at <= to);
    },
    hadIncidentSince: (at) => incidents.some(({ to }) => to >= at),
    agree: compareAll,
    keep,
    contradiction,
  };
}

/** No message has a time later than the clock says as it is written, though the clock may have been ahead (R26). */
function notAfter(alert: ExpectedAlert, wall: Instant): ExpectedAlert {
  const capped = (at: Instant | null): Instant | null => (at === null ? null : Math.min(at, wall));
  return {
    ...alert,
    at: Math.min(alert.at, wall),
    openedAt: Math.min(alert.openedAt, wall),
    recoveredAt: capped(alert.recoveredAt),
    expectedAt: capped(alert.expectedAt),
    lastPingAt: capped(alert.lastPingAt),
  };
}

const isSame = (alert: ExpectedAlert, said: LogFields): boolean =>
  alert.kind === said["kind"] &&
  alert.cause === said["cause"] &&
  alert.reason === said["reason"] &&
  iso(alert.at) === said["trueAt"];
