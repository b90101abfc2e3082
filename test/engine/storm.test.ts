// A machine that is off: two hundred jobs of one host are silent, and who reads it on a phone sees at once what, how
// many and where to look (R39). Over real tables; nothing is sent.

import { expect, test } from "bun:test";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { HOUR, type Instant, MINUTE } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import type { Claim, Ending } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { NOTHING_NEW } from "../support/alerts.ts";
import { mailTo } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const POLICY = policyWith({
  destinations: new Map([["mail", mailTo("ada@example.org")]]),
  team: { name: null, destinations: ["mail"], members: [] },
});

const keysUpTo = (count: number) => Array.from({ length: count }, (_, place) => `job-${place + 1}`);

/** These jobs are declared for the machine `nas`, hourly, and have run once. */
async function declared(service: Service, keys: readonly string[], host: string | null = "nas"): Promise<void> {
  const metadata = host === null ? null : JSON.stringify({ host });
  const entries = keys.map((key) => ({ key, declared: { ...NOTHING_DECLARED, schedule: "0 * * * *" }, metadata }));
  const registry = { source: host ?? "none", version: null, authoritative: true, entries };
  service.engine.intake.sync(ping().caller, registry);
  await service.send(...keys.map((monitorKey) => ping({ monitorKey })));
}

function claimed({ store }: Service, now: Instant, most = 200, endings: readonly Ending[] = []): readonly Claim[] {
  const wanted = {
    now,
    busy: new Set<string>(),
    limit: 16,
    each: 16,
    digests: new Map([["mail", most]]),
    ...NOTHING_NEW,
  };
  return createOutbox(store.database, () => {}).exchange(endings, wanted).claimed;
}

/** The first two lines, which is all that a lock screen shows. */
const linesOf = ({ message }: Claim, at: Instant): string[] => {
  const { subject, story, toDo } = wordingOf(message, at);
  return [subject, `${story[0]} ${toDo}`];
};

const sent = ({ members }: Claim, at: Instant): Ending[] =>
  members.map(({ id }) => ({ id, ending: "sent", at, answer: "250" }));

const DUE = NOON + HOUR + 6 * MINUTE;

test("R39: two hundred silent jobs of one machine are one message that reads well on a phone, and so is their end", async () => {
  using service = openService(POLICY);
  await declared(service, keysUpTo(200));
  service.look(DUE);
  const [storm, ...others] = claimed(service, DUE);
  expect([storm?.members.length, others.length]).toEqual([200, 0]);
  expect(linesOf(storm!, DUE)).toEqual([
    "200 of 200 jobs of nas did not report: Job 1, Job 10 and 198 more",
    "200 jobs did not report. Look first at nas: all 200 jobs run there.",
  ]);
  for (const line of linesOf(storm!, DUE)) expect(line.length).toBeLessThan(80);
  claimed(service, DUE, 200, sent(storm!, DUE));
  service.at(DUE + MINUTE);
  await service.send(...keysUpTo(200).map((monitorKey) => ping({ monitorKey })));
  const [end] = claimed(service, DUE + MINUTE);
  expect(linesOf(end!, DUE + MINUTE)[0]).toBe("200 of 200 jobs of nas recovered: Job 1, Job 2 and 198 more");
});

test("R39: of how many is said only from what is known: active jobs that are declared for that machine", async () => {
  const headAfter = async (change: (service: Service) => Promise<void> | void, most = 200) => {
    using service = openService(POLICY);
    await declared(service, keysUpTo(12));
    await change(service);
    service.look(DUE);
    return linesOf(claimed(service, DUE, most)[0]!, DUE)[0]!.replace(/:.*/, "");
  };
  expect(await headAfter(() => {})).toBe("12 of 12 jobs of nas did not report");
  const one = ping({ monitorKey: "job-12" });
  const oneWorks = async (service: Service) => {
    service.look(NOON + HOUR);
    await service.send(one);
  };
  expect(await headAfter(oneWorks)).toBe("11 of 12 jobs of nas did not report");
  const paused = (service: Service) => void granted(service.engine.operate("monitor pause", { key: "job-12" }));
  expect(await headAfter(paused)).toBe("11 of 11 jobs of nas did not report");
  const deleted = (service: Service) => void granted(service.engine.operate("monitor delete", { key: "job-12" }));
  expect(await headAfter(deleted)).toBe("11 of 11 jobs of nas did not report");
  const elsewhere = (service: Service) => declared(service, ["other"], null);
  expect(await headAfter(elsewhere)).toBe("13 jobs did not report");
  // The others come with the next message.
  expect(await headAfter(() => {}, 11)).toBe("11 jobs of nas did not report");
});
