// The process on the failing disk: does every action on a service of its own, with its first storage call failing, then
// its second, and so on until one is done without reaching the failing call. Started by storage.ts, which reads what it
// prints.

import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { isRefusal } from "../../src/domain/errors.ts";
import { OPERATIONS, type OperationName } from "../../src/engine/operations/operations.ts";
import { loggedFactsIn } from "../../src/store/memory/state-log.ts";
import type { StateRow } from "../../src/store/monitor-state.ts";
import { monitorStates } from "../../src/store/schema.ts";
import { columnsOf } from "../../src/store/sql.ts";
import { seeded } from "../simulation/random.ts";
import { openService, type Service } from "../support/engine.ts";
import { furnish } from "../support/furnished.ts";
import { ACTIONS, type ActionEntry, type Came } from "./actions.ts";
import { type CallKind, type Failure, ownDisk } from "./disk.ts";
import type { NotifiedAlert } from "./storage.ts";

/** A way to fail. */
interface Way {
  readonly name: string;
  readonly how: Failure;
  readonly kinds: readonly CallKind[];
  readonly once: boolean;
}

const WRITING: readonly CallKind[] = ["writes", "syncs"];

const WAYS: readonly Way[] = [
  { name: "a broken disk", how: "broken", kinds: WRITING, once: false },
  { name: "a full disk", how: "full", kinds: WRITING, once: false },
  { name: "a disk that is full in the middle of a write", how: "full in the middle", kinds: WRITING, once: false },
  { name: "a disk that fails once", how: "broken", kinds: WRITING, once: true },
  { name: "syncs that fail", how: "broken", kinds: ["syncs"], once: false },
  { name: "a disk that cannot be read either", how: "broken", kinds: ["reads", ...WRITING], once: false },
];

/** An action that is not done after so many calls never ends. */
const CALLS_MAX = 5_000;

/**
 * What changes by itself: when we were last alive, the times in which nothing could be stored, how far and when names
 * of rows were tidied; and the log, read below.
 */
const OUR_OWN = ["liveness", "gaps", "run_names_kept", "answer_names_kept", "state_log"];

const [oneIn = "1", seed = "1"] = process.argv.slice(2);
const disk = ownDisk();
const tell = (told: NotifiedAlert): void => console.log(JSON.stringify(told));
let failures = 0;

type Row = Readonly<Record<string, unknown>>;

/** All rows of all tables; of a key's hash only that there is one, since each try draws another key. */
function rowsIn(database: Database): string {
  const all = (table: string): Row[] => database.query<Row, []>(`SELECT * FROM "${table}" ORDER BY 1`).all();
  const names = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => name)
    .filter((name) => !OUR_OWN.includes(name) && !name.startsWith("sqlite_"));
  // Whether a monitor's own row has followed its facts is nobody's business: the newest facts are what is stored.
  const logged = all("state_log").flatMap(({ body }) => [...loggedFactsIn(body as Uint8Array)]);
  const own = database.query<StateRow, []>(`SELECT ${columnsOf(monitorStates, "s")} FROM monitor_states s`).all();
  const facts = new Map([...own, ...logged].map((row) => [row.monitorId, JSON.stringify(row, Object.keys(own[0]!))]));
  const rows = names
    .filter((name) => name !== "monitor_states")
    .flatMap((name) => all(name).map(({ hash: _, ...row }) => `${name} ${JSON.stringify(row)}`));
  return [...rows, ...facts.values()].toSorted().join("\n");
}

function rowsOf(service: Service): string {
  using database = service.connect();
  return rowsIn(database);
}

/** What a crash at this moment would leave, as the next start finds it. */
function rowsAfterCrash(service: Service): { rows: string; damage: string } {
  using connected = service.connect();
  const path = connected.filename;
  const copy = `${path.slice(0, -3)}-crashed.db`;
  for (const ending of ["", "-wal"]) if (existsSync(path + ending)) copyFileSync(path + ending, copy + ending);
  const database = new Database(copy, { readwrite: true });
  const damage = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get()!.integrity_check;
  const rows = rowsIn(database);
  database.close();
  for (const ending of ["", "-wal", "-shm"]) rmSync(copy + ending, { force: true });
  return { rows, damage };
}

/** What an operator sees of everything. */
function seenIn({ engine }: Service): string {
  const names = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => OPERATIONS[name].effect !== "acts");
  const monitors = engine.operate("monitor list", {});
  const shown = isRefusal(monitors)
    ? []
    : monitors.monitors.map(({ application, key }) => engine.operate("monitor show", { application, key }));
  // Whether the disk works is no fact of the database, nor what waits in memory until it does.
  const ofDatabase = (name: string, value: unknown): unknown => {
    if (name === "troubles") return undefined;
    const isWaiting = (one: { error?: unknown }) => one.error === "STORAGE_UNAVAILABLE";
    return name === "refused" && Array.isArray(value) ? value.filter((one) => !isWaiting(one)) : value;
  };
  return JSON.stringify(
    [shown, ...names.filter((name) => !name.endsWith("show")).map((name) => engine.operate(name, {}))],
    ofDatabase,
    1,
  );
}

async function prepared({ before = furnish }: ActionEntry): Promise<Service> {
  const service = openService();
  await before(service);
  return service;
}

/** What the action leaves where nothing fails. */
async function expectedOf(action: ActionEntry): Promise<string> {
  using service = await prepared(action);
  await action.act(service);
  if (action.nature === "goes on") await takenUp(action, service);
  return rowsOf(service);
}

/** A message that is written later is due and waits since then, and lengths that are measured later are of then. */
const timeless = (rows: string): string =>
  rows
    .replace(/"(created|due|next_attempt)_at":\d+/g, '"$1_at":"then"')
    .replace(/(run_lengths \{"monitor_id":\d+,"at":)\d+/g, '$1"then"');

const takenUp = ({ act, again = act }: ActionEntry, service: Service): unknown => again(service);

/** The lines that only one of them has, a few of them. */
function difference(found: string, expected: string): string {
  const [ours, theirs] = [found.split("\n"), expected.split("\n")];
  return [
    ...ours.filter((line) => !theirs.includes(line)).map((line) => `  found    ${line.slice(0, 200)}`),
    ...theirs.filter((line) => !ours.includes(line)).map((line) => `  expected ${line.slice(0, 200)}`),
  ]
    .slice(0, 6)
    .join("\n");
}

interface Case {
  readonly action: ActionEntry;
  readonly way: Way;
  readonly expected: string;
}

/** Does the action with the call of this number failing. Answers how it came out, and whether that call was reached. */
async function actFailing(
  { action, way }: Case,
  service: Service,
  call: number,
): Promise<{ came: Came; reached: boolean }> {
  disk.failFrom(call, way.how, way.kinds, way.once);
  try {
    const came = await action.act(service);
    return { came, reached: disk.works() >= call };
  } finally {
    disk.works();
  }
}

/** Yields what is wrong when the action is tried with each call failing, until it is done. */
async function* faultsOf(one: Case): AsyncGenerator<string> {
  const { action, expected } = one;
  let service = await prepared(action);
  try {
    const before = rowsOf(service);
    for (let call = 1; ; call++) {
      if (call > CALLS_MAX) throw new Error("it never comes to an end");
      const { came, reached } = await actFailing(one, service, call);
      failures += reached ? 1 : 0;
      const found = rowsOf(service);
      const crashed = rowsAfterCrash(service);
      const at = `call ${call}`;
      if (crashed.damage !== "ok") yield `${at}: a crash would leave a damaged database: ${crashed.damage}`;
      if (action.nature === "looks") {
        if (came === "undone" && !one.way.kinds.includes("reads")) yield `${at}: it could not be looked at`;
        if (found !== before) yield `${at}: looking has changed something:\n${difference(found, before)}`;
      } else if (action.nature === "all or nothing") {
        const wanted = came === "done" ? expected : before;
        if (found !== wanted) yield `${at}: it is ${came}, but:\n${difference(found, wanted)}`;
        // After a failed sync nobody can know; but half of it must never be there.
        if (crashed.rows !== wanted && (came === "done" || crashed.rows !== expected))
          yield `${at}: it is ${came}, but a crash would leave:\n${difference(crashed.rows, wanted)}`;
      }
      if (!reached) break;
      if (action.nature === "all or nothing" && came === "undone") continue;
      // The disk works again: what was begun must come to its end.
      if (action.nature === "goes on") yield* faultsOfGoingOn(one, service, at);
      service[Symbol.dispose]();
      service = await prepared(action);
    }
    if (action.nature === "all or nothing") yield* faultsOfRestart(service);
  } finally {
    service[Symbol.dispose]();
  }
}

async function* faultsOfGoingOn({ action, expected }: Case, service: Service, at: string): AsyncGenerator<string> {
  await takenUp(action, service);
  const [found, wanted] = [timeless(rowsOf(service)), timeless(expected)];
  if (found !== wanted)
    yield `${at}: on a disk that works again it does not come to its end:\n${difference(found, wanted)}`;
}

/** What is in memory is what is on the disk, once all has followed that was to follow. */
function* faultsOfRestart(service: Service): Generator<string> {
  service.endTurns();
  const seen = seenIn(service);
  service.restart();
  service.endTurns();
  const again = seenIn(service);
  if (seen !== again) yield `a restart changes what is seen:\n${difference(again, seen)}`;
}

const random = seeded(Number(seed), "storage");
const cases = ACTIONS.flatMap((action) => WAYS.map((way) => ({ action, way }))).filter(() =>
  random.chance(1 / Number(oneIn)),
);
const expectations = new Map<ActionEntry, string>();
for (const [index, { action, way }] of cases.entries()) {
  const name = `${action.name}: ${way.name}`;
  try {
    const expected = expectations.get(action) ?? (await expectedOf(action));
    expectations.set(action, expected);
    const faults = await Array.fromAsync(faultsOf({ action, way, expected }));
    // With the next calls most look alike.
    if (faults.length > 0) tell({ fault: `${name}: ${faults.length} faults, the first: ${faults[0]}` });
  } catch (error) {
    tell({ fault: `${name}: ${error instanceof Error ? (error.stack ?? error.message) : error}` });
  }
  tell({ progress: `${index + 1} of ${cases.length} actions, ${failures} failed calls` });
}
tell({ figure: "actions on a failing disk", value: cases.length });
tell({ figure: "failed calls", value: failures });
