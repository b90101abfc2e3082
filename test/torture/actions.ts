// Everything that changes the database, one action each, and everything that looks at it: what the service must be like
// before, how it is done, and what it answered. For disks that fail in the middle of it.

import { isRefusal } from "../../src/domain/errors.ts";
import { isDamage, storageFaultOf } from "../../src/domain/storage-fault.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Ping } from "../../src/engine/api.ts";
import { OPERATIONS, type OperationName } from "../../src/engine/operations/operations.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { NOON, ping, type Service } from "../support/engine.ts";
import { ASKED, DAILY, furnish, registryOf, repeatable } from "../support/furnished.ts";
import { granted } from "../support/service.ts";
import { monitorsInStatus } from "../support/sync-status.ts";

/** How an action ended: `undone` means that nothing was changed, because of the disk. */
export type Came = "done" | "undone";

export interface ActionEntry {
  readonly name: string;
  /**
   * `all or nothing`: it is done or undone. `goes on`: it has no answer, may have done a part, and `again` does the
   * rest. `looks`: it changes nothing, and needs no disk that can be written.
   */
  readonly nature: "all or nothing" | "goes on" | "looks";
  /** On a disk that works. Left out: the service is furnished. */
  readonly before?: (service: Service) => void | Promise<void>;
  readonly act: (service: Service) => Came | Promise<Came>;
  /** How the service itself takes up what it could not do; left out: the same again. */
  readonly again?: (service: Service) => unknown;
}

/** What a refusal or a throw means for an action. Anything but a disk's fault is a fault of ours, and is thrown on. */
function unlessStored(act: () => unknown): Came {
  try {
    const answer = act();
    if (isRefusal(answer)) throw new Error(`refused: ${JSON.stringify(answer)}`);
    return "done";
  } catch (error) {
    if (storageFaultOf(error) === null && !isDamage(error)) throw error;
    return "undone";
  }
}

const reporting = (name: string, ...pings: Ping[]): ActionEntry => ({
  name: `a report: ${name}`,
  nature: "all or nothing",
  act: async (service) => {
    const answers = await service.send(...pings);
    const refused = answers.filter((answer) => isRefusal(answer));
    const others = refused.filter((answer) => !JSON.stringify(answer).includes("STORAGE_UNAVAILABLE"));
    if (others.length > 0) throw new Error(`refused: ${JSON.stringify(others)}`);
    if (refused.length > 0 && refused.length < answers.length) throw new Error("half of a batch was refused");
    return refused.length === 0 ? "done" : "undone";
  },
});

const REPORTS: readonly ActionEntry[] = [
  reporting("the first of a monitor", ping({ monitorKey: "new", schedule: DAILY })),
  reporting("a heartbeat", ping()),
  reporting("a start", ping({ kind: "start", runId: "r2" })),
  reporting("a complete", ping({ monitorKey: "running", kind: "complete", runId: "r1" })),
  reporting("a fail that opens an incident", ping({ kind: "fail", message: "x".repeat(1_000) })),
  reporting("a fail that joins one", ping({ monitorKey: "failing", kind: "fail" })),
  reporting("a success that closes one", ping({ monitorKey: "failing" })),
  reporting("one under a pause", ping({ monitorKey: "paused", kind: "fail" })),
  reporting("another schedule", ping({ schedule: "0 3 * * *", graceSeconds: 600 })),
  reporting("a log", ping({ kind: "log", message: "so far so good" })),
  reporting("one with an idempotency key", repeatable("fresh")),
  reporting(
    "many at once",
    ...Array.from({ length: 40 }, (_, one) => ping({ monitorKey: `n${one}`, schedule: DAILY })),
  ),
];

/** Another process makes them. */
const OF_BACKUPS: ReadonlySet<OperationName> = new Set(["backup", "backup show", "backups"]);

const operating = (name: OperationName): ActionEntry => ({
  name: `rollcall ${name}`,
  nature: OPERATIONS[name].effect === "acts" ? "all or nothing" : "looks",
  act: (service) => unlessStored(() => service.engine.operate(name, ASKED[name])),
});

const SYNCS: readonly ActionEntry[] = [
  {
    name: "a sync that declares and withdraws",
    nature: "all or nothing",
    act: ({ engine }) => unlessStored(() => engine.intake.sync(ping().caller, registryOf("declared", "another"))),
  },
  {
    name: "the status of a sync",
    nature: "looks",
    act: ({ engine }) => unlessStored(() => JSON.stringify(monitorsInStatus(engine, ping().caller))),
  },
];

/** The clock's own work, taken up again after this many milliseconds. */
const looking = (name: string, at: number, after: number, before: ActionEntry["before"] = furnish): ActionEntry => ({
  name,
  nature: "goes on",
  before,
  act: (service) => {
    service.look(at);
    return "done";
  },
  again: (service) => service.look(at + after),
});

const TICKS: readonly ActionEntry[] = [
  // The upkeep of that hour is done before: it would be taken up again only in the next.
  looking("a tick that finds a miss", NOON + 14 * HOUR + MINUTE + 5 * SECOND, SECOND, async (service) => {
    await furnish(service);
    service.look(NOON + 14 * HOUR + SECOND);
    service.endTurns();
  }),
  looking("a tick that finds nothing", NOON + SECOND, SECOND),
  looking("the upkeep of an hour, old reports among it", NOON + 91 * DAY, HOUR, async (service) => {
    for (let count = 0; count < 30; count++) await service.send(ping({ schedule: DAILY }), repeatable(`${count}`));
    granted(service.engine.operate("monitor pause", { key: "job" }));
  }),
];

const wantedOf = (service: Service) => ({
  now: service.now,
  busy: new Set<string>(),
  limit: 16,
  each: 16,
  digests: new Map<string, number>(),
  alone: new Set<number>(),
  written: [],
  news: new Map(),
  sooner: [],
});

const outboxOf = ({ store }: Service) => createOutbox(store.database, () => {});

const NOTIFIER: readonly ActionEntry[] = [
  {
    name: "the notifier claims",
    nature: "all or nothing",
    act: (service) => unlessStored(() => outboxOf(service).exchange([], wantedOf(service))),
  },
  {
    name: "the notifier stores how a delivery ended",
    nature: "all or nothing",
    before: async (service) => {
      await furnish(service);
      outboxOf(service).exchange([], wantedOf(service));
    },
    act: (service) =>
      unlessStored(() =>
        outboxOf(service).exchange([{ id: 1, ending: "sent", at: service.now, answer: "HTTP 204" }], {
          ...wantedOf(service),
          news: new Map([["hook", { since: NOON, answer: "HTTP 503", blocked: false }]]),
        }),
      ),
  },
];

const LIFE: readonly ActionEntry[] = [
  {
    name: "a stop",
    nature: "goes on",
    act: (service) => {
      service.engine.stop(service.now);
      return "done";
    },
  },
  {
    name: "a start",
    nature: "goes on",
    before: async (service) => {
      await furnish(service);
      service.kill();
    },
    act: (service) => {
      try {
        service.start();
        return "done";
      } catch {
        // In a sentence for the operator, who starts it again.
        return "undone";
      }
    },
  },
];

export const ACTIONS: readonly ActionEntry[] = [
  ...REPORTS,
  ...(Object.keys(ASKED) as OperationName[]).filter((name) => !OF_BACKUPS.has(name)).map(operating),
  ...SYNCS,
  ...TICKS,
  ...NOTIFIER,
  ...LIFE,
];
