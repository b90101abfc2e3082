// What a digest says: every job by name, with what its own message would have told first, and how late that is (R36,
// R39).

import { expect, test } from "bun:test";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { type DigestKind, digestOf, withCounted } from "../../src/domain/message/digest.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";

const NAMES = ["Backup", "Import", "Invoices", "Mail", "Reports", "Search", "Shop", "Stock", "Sync", "Tax", "Vacuum"];

/** Eleven jobs, each changed as the test says. */
function digest(kind: DigestKind, changes: (index: number) => Partial<AlertData>) {
  const alerts = NAMES.map((name, index) => {
    const named = { name, monitorKey: name.toLowerCase(), incidentId: String(index + 1) };
    return alertOf({ ...named, ...changes(index) }, ALERT_AT + index * MINUTE);
  });
  return digestOf(kind, alerts.toReversed());
}

const RECOVERED = { kind: "Recovered", reason: "success", durationSeconds: 7_200, missedSlots: 3 } as const;

test("R39: a digest says that each of its incidents goes on by itself", () => {
  const { advice } = wordingOf(
    digest("opened", () => ({})),
    ALERT_AT,
  );
  expect(advice).toEqual(["Each is an incident of its own: its reminders, new causes and end are told as usual."]);
});

test("R39: a digest of jobs of one machine names it first, and says where to look", () => {
  const on = (host: string | null) => ({
    runsOn: host === null ? null : { host, user: null, where: null, unit: null },
  });
  const at = (kind: DigestKind, hostOf: (index: number) => string | null, more: Partial<AlertData> = {}) =>
    wordingOf(
      digest(kind, (index) => ({ ...more, ...on(hostOf(index)) })),
      ALERT_AT,
    );
  const all = at("opened", () => "nas");
  expect(all.subject).toBe("11 jobs of nas did not report: Backup, Import and 9 more");
  expect(all.toDo).toBe("Look first at nas: all 11 jobs run there.");
  expect(at("recovered", () => "nas", RECOVERED).subject).toStartWith("11 jobs of nas recovered: ");
  const most = at("opened", (index) => (index < 8 ? "nas" : "vm"));
  expect(most.subject).toStartWith("11 jobs did not report: ");
  expect(most.toDo).toBe("Look first at nas: 8 of these 11 jobs run there.");
  const shared = "Look first at what they share: a machine, a scheduler, the network.";
  expect(at("opened", (index) => (index < 4 ? "nas" : null)).toDo).toBe(shared);
  expect(at("opened", (index) => ["nas", "vm", "pi"][index % 3]!).toDo).toBe(shared);
  expect(at("opened", () => `na\u202es\n${"x".repeat(200)}`).subject).toHaveLength(
    "11 jobs of  did not report: Backup, Import and 9 more".length + 64,
  );
});

test("R39: a digest counts jobs of a machine, not alerts: a job with several alerts is one of them", () => {
  // Six jobs: five of nas, and one of vm with six alerts.
  const { toDo } = wordingOf(
    digest("opened", (index) =>
      index < 5
        ? { runsOn: { host: "nas", user: null, where: null, unit: null } }
        : { monitorKey: "flapping", runsOn: { host: "vm", user: null, where: null, unit: null } },
    ),
    ALERT_AT,
  );
  expect(toDo).toBe("Look first at nas: 5 of these 6 jobs run there.");
});

test("R39: an opening digest counts, names the first jobs in one line, and lists every one with what happened", () => {
  const causes = ["missed", "failed", "unfinished", "outcome"] as const;
  const wording = wordingOf(
    digest("opened", (index) => ({
      cause: causes[index % 4]!,
      failureMessage: index % 4 === 1 ? "disk full" : null,
      runStartedAt: index % 4 === 2 ? "2026-03-01T02:00:10.000Z" : null,
      ...(index === 4 ? { kind: "NeverExecuted" } : {}),
    })),
    ALERT_AT + 10 * MINUTE,
  );
  expect(wording.subject).toBe("Trouble with 11 jobs: Backup, Import and 9 more");
  expect(wording.story).toEqual([
    "3 jobs did not report, 3 reported a failure, 3 did not finish, 2 had a wrong result.",
  ]);
  expect(wording.commands.map(({ value }) => value)).toEqual(["rollcall incident list --open"]);
  expect(wording.items.slice(0, 5)).toEqual([
    {
      name: "Missed: Backup (prod, backup)",
      details: ["expected at 2026-03-01 03:00 Europe/Berlin (02:00 UTC), nothing came; incident 1"],
      quote: null,
    },
    {
      name: "Failed: Import (prod, import)",
      details: ["reported at 03:02:05; incident 2"],
      quote: "disk full",
    },
    {
      name: "Not finished: Invoices (prod, invoices)",
      details: ["started at 03:00:10, no end came; incident 3"],
      quote: null,
    },
    {
      name: "Wrong result: Mail (prod, mail)",
      details: ["reported its end at 03:04:05; incident 4"],
      quote: null,
    },
    {
      name: "Never reported: Reports (prod, reports)",
      details: ["expected at 03:00, nothing came; incident 5"],
      quote: null,
    },
  ]);
  expect(wording.items).toHaveLength(11);
  expect(wording.tone).toBe("bad");
  expect(wording.facts).toEqual([
    { label: "Application", value: "prod" },
    { label: "Environment", value: "production" },
    { label: "Owner", value: "ops" },
  ]);
  expect(wording.links).toEqual([{ label: "runbook", url: "https://wiki.example.org/backup?a=1&b=2" }]);
});

test("R39: when all did the same the line says what", () => {
  const subject = (cause: AlertData["cause"]) =>
    wordingOf(
      digest("opened", () => ({ cause })),
      ALERT_AT,
    ).subject;
  expect(subject("missed")).toBe("11 jobs did not report: Backup, Import and 9 more");
  expect(subject("failed")).toBe("11 jobs reported a failure: Backup, Import and 9 more");
  expect(subject("unfinished")).toBe("11 jobs did not finish: Backup, Import and 9 more");
  expect(subject("outcome")).toBe("11 jobs had a wrong result: Backup, Import and 9 more");
});

test("R39: one that is critical makes the digest so, as long as it is not good news", () => {
  const severity = (index: number) => (index === 7 ? ({ severity: "critical" } as const) : {});
  expect(wordingOf(digest("opened", severity), ALERT_AT).subject).toStartWith("[critical] 11 jobs");
  const good = digest("recovered", (index) => ({ ...RECOVERED, ...severity(index) }));
  expect(wordingOf(good, ALERT_AT).subject).toStartWith("11 jobs recovered");
});

test("R36, R39: a digest of recoveries tells each one's whole story", () => {
  const wording = wordingOf(
    digest("recovered", () => ({ ...RECOVERED, failureMessage: "disk full" })),
    ALERT_AT,
  );
  expect(wording.subject).toBe("11 jobs recovered: Backup, Import and 9 more");
  expect(wording.story).toEqual(["11 jobs recovered."]);
  expect(wording.items[1]).toEqual({
    name: "Recovered: Import (prod, import)",
    details: ["at 03:02:05, after 2 hours", "no report came when one was expected; 3 scheduled runs missed"],
    quote: "disk full",
  });
  expect([wording.tone, wording.commands, wording.advice]).toEqual(["good", [], []]);
});

test("R39: incidents that ended without a success are not called recovered", () => {
  const reasons = ["success", "resolved", "withdrawn", "deleted"] as const;
  const wording = wordingOf(
    digest("recovered", (index) => ({ ...RECOVERED, reason: reasons[index % 4]! })),
    ALERT_AT,
  );
  expect(wording.subject).toBe("11 incidents ended: Backup, Import and 9 more");
  expect(wording.story).toEqual([
    "3 jobs recovered, 3 had their incidents closed by hand, 3 were withdrawn, 2 were deleted.",
  ]);
  expect(wording.items[1]!.name).toBe("Closed by hand: Import (prod, import)");
});

test("R39: a job with several incidents is counted once and listed with each", () => {
  const wording = wordingOf(
    digest("opened", (index) => (index < 9 ? { name: "Backup", monitorKey: "backup" } : {})),
    ALERT_AT,
  );
  expect(wording.subject).toBe("3 jobs did not report: Backup, Tax and 1 more");
  expect(wording.items).toHaveLength(11);
});

test("R36: a digest says that it is late, up to how long, once its first alert is", () => {
  const message = digest("opened", () => ({}));
  expect(wordingOf(message, ALERT_AT + 15 * MINUTE).subject).not.toContain("late");
  const late = wordingOf(message, ALERT_AT + 6 * HOUR + 30 * SECOND);
  expect(late.subject).toBe("11 jobs did not report: Backup, Import and 9 more, sent up to 6 hours late");
  expect(late.story[1]).toBe("This message is up to 6 hours late. It says what was true at the times beside the jobs.");
});

test("a digest names what every one of its jobs links to, and nothing else", () => {
  const shared = { wiki: "https://wiki.example.org/all" };
  const message = digest("opened", (index) => ({ links: { ...shared, own: `https://example.org/${index}` } }));
  expect(wordingOf(message, ALERT_AT).links).toEqual([{ label: "wiki", url: shared.wiki }]);
});

const STILL = { kind: "ContinuedFailure", reason: "reminder", durationSeconds: 3_600 } as const;

test("R39: a digest of reminders names every job, for how long it is in trouble, and what is new", () => {
  const changes: Record<number, Partial<AlertData>> = {
    1: { reason: "new_cause", cause: "failed", causes: ["missed", "failed"], failureMessage: "disk full" },
    2: { reason: "last_reminder" },
  };
  const { subject, story, items, commands, tone } = wordingOf(
    digest("continued", (index) => ({ ...STILL, ...changes[index] })),
    ALERT_AT + 10 * MINUTE,
  );
  expect(subject).toBe("11 jobs still in trouble: Backup, Import and 9 more");
  expect(story).toEqual(["10 jobs are still in trouble, 1 failed in a new way."]);
  expect(commands.map(({ value }) => value)).toEqual(["rollcall incident list --open", "rollcall incident ack NUMBER"]);
  expect(tone).toBe("bad");
  expect(items).toHaveLength(11);
  expect(items.slice(0, 3)).toEqual([
    {
      name: "Still missing: Backup (prod, backup)",
      details: [
        "for 1 hour, since 2026-03-01 03:01:05 Europe/Berlin (02:01:05 UTC); incident 1",
        "no report came when one was expected",
      ],
      quote: null,
    },
    {
      name: "Also failed: Import (prod, import)",
      details: ["reported at 03:02:05; incident 2"],
      quote: "disk full",
    },
    {
      name: "Still missing: Invoices (prod, invoices)",
      details: [
        "for 1 hour, since 03:01:05; incident 3",
        "no report came when one was expected; no further reminder follows",
      ],
      quote: null,
    },
  ]);
});

test("R36, R39: a digest that was held up says beside each job what has happened since, and of how many in its subject", () => {
  const closed = {
    closedAt: "2026-03-01T02:30:00.000Z",
    closedBy: "success",
    acknowledgedAt: null,
    acknowledgedBy: null,
  } as const;
  const newest = { incidentId: "40", openedAt: "2026-03-01T02:40:00.000Z", closedAt: null };
  const changes: Record<number, Partial<AlertData>> = {
    0: { since: { ...closed, incidents: 0, newest: null } },
    1: { since: { ...closed, incidents: 1, newest } },
  };
  const { subject, items } = wordingOf(
    digest("opened", (index) => changes[index] ?? {}),
    ALERT_AT + 10 * MINUTE,
  );
  expect(subject).toEndWith("and 9 more, 1 over since, 1 in trouble again since");
  expect(items.slice(0, 3).map(({ details }) => details[1])).toEqual([
    "since then it recovered at 03:30",
    "since then it recovered at 03:30; incident 40 opened at 03:40 and is open",
    undefined,
  ]);
  const recovered = digest("recovered", () => ({
    ...RECOVERED,
    since: { ...closed, closedAt: null, incidents: 1, newest },
  }));
  expect(wordingOf(recovered, ALERT_AT + 10 * MINUTE).subject).toEndWith("and 9 more, all in trouble again since");
});

const AGAIN: NonNullable<AlertData["since"]> = {
  closedAt: null,
  closedBy: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  incidents: 1,
  newest: { incidentId: "40", openedAt: "2026-03-01T02:40:00.000Z", closedAt: null },
};

test("R36, R39: line 2 of a late digest says what is so now, and when the rest was so", () => {
  const over = {
    ...AGAIN,
    closedAt: "2026-03-01T02:30:00.000Z",
    closedBy: "success",
    incidents: 0,
    newest: null,
  } as const;
  const worded = (kind: DigestKind, changes: (index: number) => Partial<AlertData>) =>
    wordingOf(digest(kind, changes), ALERT_AT + HOUR);
  const recovered = worded("recovered", () => ({ ...RECOVERED, since: AGAIN }));
  expect([recovered.story[0], recovered.toDo]).toEqual([
    "11 jobs had recovered by 2026-03-01 03:11:05 Europe/Berlin (02:11:05 UTC); all are in trouble again.",
    "Look at those that are in trouble again.",
  ]);
  const opened = worded("opened", (index) => (index < 3 ? { since: index < 1 ? AGAIN : over } : {}));
  expect([opened.story[0], opened.toDo]).toEqual([
    "11 jobs did not report by 2026-03-01 03:11:05 Europe/Berlin (02:11:05 UTC); 2 are over, 1 is in trouble again.",
    "Look first at what they share: a machine, a scheduler, the network.",
  ]);
  const still = worded("continued", () => ({ ...STILL, since: over }));
  expect([still.story[0], still.toDo]).toEqual([
    "11 jobs were still in trouble by 2026-03-01 03:11:05 Europe/Berlin (02:11:05 UTC); all are over.",
    "All of them are over since.",
  ]);
  const again = worded("opened", () => ({ since: { ...AGAIN, closedAt: "2026-03-01T02:30:00.000Z" } }));
  expect(again.toDo).toStartWith("Look first at what they share");
});

test("R36, R39: line 2 of a late digest names one time where all became true in the same minute", () => {
  const alerts = NAMES.map((name) => alertOf({ ...RECOVERED, name, monitorKey: name, since: AGAIN }));
  expect(wordingOf(digestOf("recovered", alerts), ALERT_AT + HOUR).story[0]).toBe(
    "11 jobs had recovered at 2026-03-01 03:01 Europe/Berlin (02:01 UTC); all are in trouble again.",
  );
});

test("R39: in a list with more than one zone each time has its zone", () => {
  const zones = ["Europe/Berlin", "America/New_York", "UTC"];
  const { items } = wordingOf(
    digest("opened", (index) => ({ timezone: zones[index % 3]!, cause: "failed" })),
    ALERT_AT,
  );
  expect(items.slice(0, 6).map(({ details }) => details[0]!.replace(/; .*/, ""))).toEqual([
    "reported at 2026-03-01 03:01:05 Europe/Berlin (02:01:05 UTC)",
    "reported at 2026-02-28 21:02:05 America/New_York (2026-03-01 02:02:05 UTC)",
    "reported at 2026-03-01 02:03:05 UTC",
    "reported at 03:04:05 Europe/Berlin",
    "reported at 2026-02-28 21:05:05 America/New_York",
    "reported at 2026-03-01 02:06:05 UTC",
  ]);
});

/** The digest with 5,000 more jobs that it only counts, in pieces of a thousand. */
function vast(kind: DigestKind, changes: (index: number) => Partial<AlertData>, named: Partial<AlertData> = {}) {
  const pieces = Array.from({ length: 5 }, (_, piece) =>
    Array.from({ length: 1_000 }, (_, index) => alertOf(changes(1_000 * piece + index), ALERT_AT + MINUTE)),
  );
  return wordingOf(
    pieces.reduce(
      (whole, piece) => withCounted(whole, piece),
      digest(kind, () => named),
    ),
    ALERT_AT + 10 * MINUTE,
  );
}

test("R39: a digest of thousands names the first, and counts the others in every number that it gives", () => {
  const alike = vast("opened", () => ({}));
  expect(alike.subject).toStartWith("5,011 jobs did not report: Backup, Import and 5,009 more");
  expect(alike.story).toEqual(["5,011 jobs did not report."]);
  expect(alike.items.at(-1)).toMatchObject({ name: "and 5,000 more", unnamed: 5_000 });
  expect(alike.commands.map(({ value }) => value)).toEqual(["rollcall incident list --open"]);

  const mixed = vast("opened", (index) => ({
    cause: index < 100 ? "failed" : "missed",
    severity: index === 4_999 ? "critical" : "error",
    applicationId: index % 2 === 0 ? "shop" : "prod",
  }));
  expect(mixed.subject).toStartWith("[critical] Trouble with 5,011 jobs: ");
  expect(mixed.story).toEqual(["4,911 jobs did not report, 100 reported a failure."]);
  expect(mixed.facts).toContainEqual({ label: "Application", value: "prod, shop" });

  const going = vast("continued", (index) => ({ reason: index < 7 ? "new_cause" : "reminder" }), {
    reason: "reminder",
  });
  expect(going.story).toEqual(["5,004 jobs are still in trouble, 7 failed in a new way."]);
});

test("R36, R39: it says of how many of those the headline is out of date, and which ends were no success", () => {
  const closed = {
    closedAt: "2026-03-01T03:00:00.000Z",
    closedBy: "success",
    acknowledgedAt: null,
    acknowledgedBy: null,
  } as const;
  const over = vast("opened", (index) => ({ since: index < 40 ? { ...closed, incidents: 0, newest: null } : null }));
  expect(over.subject).toEndWith(", 40 over since");
  expect(over.toDo).toStartWith("Look first at what they share");
  expect(over.story[0]).toBe("5,011 jobs did not report; 40 are over.");

  const recovered = vast("recovered", (index) => ({ ...RECOVERED, missedSlots: index === 0 ? 2 : 1 }), RECOVERED);
  expect(recovered.subject).toStartWith("5,011 jobs recovered: ");
  expect(recovered.toDo).toBe("Check whether missed runs must be made up.");
  expect(recovered.commands.map(({ value }) => value)).toEqual(["rollcall incident list"]);
  const closing = vast(
    "recovered",
    (index) => ({ ...RECOVERED, reason: index < 3 ? "resolved" : "success" }),
    RECOVERED,
  );
  expect(closing.subject).toStartWith("5,011 incidents ended: ");
  expect(closing.story).toEqual(["5,008 jobs recovered, 3 had their incidents closed by hand."]);
});

test("R39: it gives the links alone that all share, also those it does not name", () => {
  const runbook = { Runbook: "https://wiki.example.org/jobs" };
  const shared = (index: number) => ({ links: index === 3 ? { Other: "https://wiki.example.org/x" } : runbook });
  expect(vast("opened", () => ({ links: runbook }), { links: runbook }).links).toHaveLength(1);
  expect(vast("opened", shared, { links: runbook }).links).toEqual([]);
});
