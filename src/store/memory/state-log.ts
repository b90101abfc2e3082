// The rows of `state_log`: monitors' facts as they were saved, one row for each commit, appended at one end and deleted
// from the other. It has no index, so its cost stays constant. It does not know which of its rows are needed.

import type { Database } from "bun:sqlite";
import { monitorStates } from "../schema.ts";
import { assignmentsOf, inOrder } from "../sql.ts";
import type { StateRow } from "./monitor-state.ts";
import { isPlain, NULL, NULLABLE, pack, unpack, WIDTH } from "./packed-states.ts";

/** How many facts the rows up to this id hold. Facts that are not stored as numbers count several times. */
export type LoggedFacts = Readonly<{ upTo: number; facts: number }>;

/** Updates the monitors' own rows from the log and empties it. Must be called before anything reads those rows. */
export function openStateLog(database: Database) {
  catchUp(database);
  const insert = database.prepare<null, [Uint8Array]>("INSERT INTO state_log (body) VALUES (?)");
  const remove = database.prepare<null, [number]>("DELETE FROM state_log WHERE id <= ?");
  const body = createBody();
  let oldest = 1;
  let newest = 0;
  /** How many facts these rows hold, with those that are still to be written. */
  let facts = 0;
  let unwritten = 0;

  return {
    /** Adds facts to the row of this transaction. */
    add: (row: StateRow): void => {
      unwritten += body.add(row);
    },
    /** Writes the row of this transaction. Must be called before the commit. */
    write: (): void => {
      if (unwritten === 0) return;
      newest = Number(insert.run(body.bytes()).lastInsertRowid);
      facts += unwritten;
      unwritten = 0;
      body.cut(0);
    },
    written: (): LoggedFacts => ({ upTo: newest, facts }),
    /**
     * Deletes at most `limit` of the rows that the log had at that time, the oldest first. Returns whether any of them
     * are left.
     */
    shorten: ({ upTo, facts: then }: LoggedFacts, limit: number): boolean => {
      const end = Math.min(upTo, oldest - 1 + limit);
      if (end >= oldest) remove.run(end);
      oldest = Math.max(oldest, end + 1);
      if (oldest <= upTo) return true;
      facts -= then;
      // SQLite begins again at 1 in an empty table.
      if (upTo === newest) [oldest, newest] = [1, 0];
      return false;
    },
    /** Returns a function that must be called when the database has been rolled back to this moment. */
    mark: (): (() => void) => {
      const before = { oldest, newest, facts, unwritten };
      const length = body.length();
      return () => {
        ({ oldest, newest, facts, unwritten } = before);
        body.cut(length);
      };
    },
  };
}

/**
 * Updates the monitors' own rows from the log, in one transaction. After a clean stop the log is empty; after a crash
 * it has the facts with which own rows were not updated yet.
 */
function catchUp(database: Database): void {
  const rows = database.prepare<{ body: Uint8Array }, []>("SELECT body FROM state_log ORDER BY id");
  const update = database.prepare<null, [StateRow]>(UPDATE_OWN);
  const follow = database.transaction(() => {
    const newest = new Map<number, StateRow>();
    for (const { body } of rows.iterate()) for (const row of wholeFactsIn(body)) newest.set(row.monitorId, row);
    for (const id of inOrder(newest.keys())) update.run(newest.get(id)!);
    database.run("DELETE FROM state_log");
  });
  if (database.query("SELECT 1 FROM state_log LIMIT 1").get() !== null) follow.immediate();
}

/**
 * Reads the facts in a row's body. Facts that cannot be read throw the error of a damaged page, so that a start says
 * what to do.
 */
function wholeFactsIn(body: Uint8Array): StateRow[] {
  try {
    return [...factsIn(body)];
  } catch (cause) {
    throw Object.assign(new Error("a row of state_log is damaged", { cause }), { code: "SQLITE_CORRUPT" });
  }
}

export const UPDATE_OWN = `UPDATE monitor_states SET ${assignmentsOf(monitorStates, ["monitorId"])} WHERE monitor_id = $monitorId`;

// A row's body has the facts of one monitor after the other. Plain facts are written as the numbers of their packed
// form: first the id, then a mask with one bit for each other number, which says whether it differs from `USUAL`, then
// the numbers that differ. Other facts are written as a 0, the length of their JSON, and the JSON. A number is written
// with seven bits in a byte, the lowest first; its lowest bit is its sign. Whoever adds a number to the packed form
// must add a migration, even an empty one: after a crash an earlier version would misread this log.

/** The bytes of a packed form's mask: one bit for each number after the id. */
const MASK_BYTES = Math.ceil((WIDTH - 1) / 8);
/** The values that are not written: null for a number that can be null, otherwise 0. */
const USUAL = Float64Array.from({ length: WIDTH }, (_, index) => (NULLABLE.includes(index) ? NULL : 0));
/**
 * The places of the instants in a packed row. The first one, of the newest change, is written as it is; the others as
 * their distance from it.
 */
const FIRST_INSTANT_PLACE = 1;
const LAST_INSTANT_PLACE = 6;

/**
 * Facts that are stored as JSON count as this many, because until the monitor's own row is updated they take about so
 * much more memory, and even more of the file.
 */
const JSON_FACTS_COUNT_AS = 4;

/** The largest number that is written. It keeps a number, and a distance between two, within eight bytes. */
const NUMBER_MAX = 2 ** 51;
const NUMBER_BYTES = 8;
const PLAIN_BYTES = MASK_BYTES + WIDTH * NUMBER_BYTES;

const numbers = new Float64Array(WIDTH);

function createBody() {
  let bytes = new Uint8Array(8_192);
  let length = 0;

  function reserve(more: number): void {
    if (length + more <= bytes.length) return;
    const larger = new Uint8Array(2 * (length + more));
    larger.set(bytes.subarray(0, length));
    bytes = larger;
  }

  function put(value: number): void {
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[length++] = (rest & 0x7f) | 0x80;
    bytes[length++] = rest;
  }

  function addPlain(): void {
    reserve(PLAIN_BYTES);
    put(numbers[0]!);
    const mask = length;
    bytes.fill(0, mask, mask + MASK_BYTES);
    length += MASK_BYTES;
    for (let index = 1; index < WIDTH; index++) {
      const value = numbers[index]!;
      if (isUsual(value, index)) continue;
      bytes[mask + ((index - 1) >> 3)]! |= 1 << ((index - 1) & 7);
      put(value - baseOf(index));
    }
  }

  function addOther(row: StateRow): void {
    const text = new TextEncoder().encode(JSON.stringify(row));
    reserve(2 * NUMBER_BYTES + text.length);
    put(0);
    put(text.length);
    bytes.set(text, length);
    length += text.length;
  }

  return {
    /** Returns how many facts the row counts as. */
    add: (row: StateRow): number => {
      const isNumbers = isPlain(row) && fits(row);
      if (isNumbers) addPlain();
      else addOther(row);
      return isNumbers ? 1 : JSON_FACTS_COUNT_AS;
    },
    bytes: () => bytes.subarray(0, length),
    length: () => length,
    cut: (to: number): void => {
      length = to;
    },
  };
}

/** Packs the row, and returns whether each of its numbers can be written. */
function fits(row: StateRow): boolean {
  pack(numbers, 0, row);
  for (let index = 0; index < WIDTH; index++) {
    const value = numbers[index]!;
    if (!isUsual(value, index) && !(Number.isInteger(value) && Math.abs(value) <= NUMBER_MAX)) return false;
  }
  return true;
}

/** Null is stored as NaN, which is not equal to itself. */
const isUsual = (value: number, index: number): boolean =>
  value === USUAL[index] || (Number.isNaN(value) && Number.isNaN(USUAL[index]));

const baseOf = (index: number): number =>
  index > FIRST_INSTANT_PLACE && index <= LAST_INSTANT_PLACE ? numbers[FIRST_INSTANT_PLACE]! : 0;

/** The facts in a row's body. */
export function* factsIn(body: Uint8Array): Generator<StateRow> {
  let at = 0;
  function take(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = body[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  }
  while (at < body.length) {
    const id = take();
    if (id === 0) {
      const end = take() + at;
      yield JSON.parse(new TextDecoder().decode(body.subarray(at, end)));
      at = end;
      continue;
    }
    numbers[0] = id;
    const mask = at;
    at += MASK_BYTES;
    for (let index = 1; index <= 8 * MASK_BYTES; index++) {
      const isAbsent = ((body[mask + ((index - 1) >> 3)]! >> ((index - 1) & 7)) & 1) === 0;
      if (index < WIDTH) numbers[index] = isAbsent ? USUAL[index]! : take() + baseOf(index);
      else if (!isAbsent) throw new Error("a later version wrote it");
    }
    yield unpack(numbers, 0);
  }
}
