// Reads and writes `state_log`: the facts of monitors as they were saved, one row for each commit. Rows are added at
// the end and deleted from the beginning. The table has no index, so a commit costs the same however long the table is.
// The caller says which rows are not needed any more.

import type { Database } from "bun:sqlite";
import type { StateRow } from "../monitor-state.ts";
import { monitorStates } from "../schema.ts";
import { ascendingKeys, assignmentsOf } from "../sql.ts";
import { isPackableState, NULL, NULLABLE, pack, unpack, WIDTH } from "./packed-states.ts";

/**
 * How many facts the log's rows with ids up to `upTo` have. Facts that are not stored as numbers count as several
 * (`JSON_FACTS_COUNT_AS`).
 */
export type LoggedFacts = Readonly<{ upTo: number; facts: number }>;

/**
 * Opens the log at a start. First it updates the monitors' rows in `monitor_states` from the log and empties the log.
 * So it must be called before anything reads those rows.
 */
export function openStateLog(database: Database) {
  catchUp(database);
  const insert = database.prepare<null, [Uint8Array]>("INSERT INTO state_log (body) VALUES (?)");
  const remove = database.prepare<null, [number]>("DELETE FROM state_log WHERE id <= ?");
  const body = createBody();
  let oldest = 1;
  let newest = 0;
  /**
   * How many facts the log's rows have. `unwritten` is how many the row of the present transaction will have; they are
   * still in memory.
   */
  let facts = 0;
  let unwritten = 0;

  return {
    /** Adds facts to the row that the present transaction will write. */
    add: (row: StateRow): void => {
      unwritten += body.add(row);
    },
    /** Writes the row with the facts of this transaction. Must be called before the commit. */
    write: (): void => {
      if (unwritten === 0) return;
      newest = Number(insert.run(body.bytes()).lastInsertRowid);
      facts += unwritten;
      unwritten = 0;
      body.cut(0);
    },
    written: (): LoggedFacts => ({ upTo: newest, facts }),
    /**
     * The first argument is an earlier result of `written`. Deletes at most `limit` of the rows that the log had at
     * that time, the oldest first. Returns true while some of these rows are left.
     */
    shorten: ({ upTo, facts: then }: LoggedFacts, limit: number): boolean => {
      const end = Math.min(upTo, oldest - 1 + limit);
      if (end >= oldest) remove.run(end);
      oldest = Math.max(oldest, end + 1);
      if (oldest <= upTo) return true;
      facts -= then;
      // In an empty table SQLite gives out ids from 1 again.
      if (upTo === newest) [oldest, newest] = [1, 0];
      return false;
    },
    /** Returns a function that takes memory back to this moment, for when the database is rolled back to it. */
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

/** After a crash the log has facts that the rows of `monitor_states` lack; after a clean stop it is empty. */
function catchUp(database: Database): void {
  const rows = database.prepare<{ body: Uint8Array }, []>("SELECT body FROM state_log ORDER BY id");
  const update = database.prepare<null, [StateRow]>(UPDATE_OWN);
  const follow = database.transaction(() => {
    const newest = new Map<number, StateRow>();
    for (const { body } of rows.iterate()) for (const row of wholeFactsIn(body)) newest.set(row.monitorId, row);
    for (const id of ascendingKeys(newest.keys())) update.run(newest.get(id)!);
    database.run("DELETE FROM state_log");
  });
  if (database.query("SELECT 1 FROM state_log LIMIT 1").get() !== null) follow.immediate();
}

/**
 * Reads all facts of one row. If they cannot be read, throws the error of a damaged page, for which the start tells the
 * operator what to do.
 */
function wholeFactsIn(body: Uint8Array): StateRow[] {
  try {
    return [...loggedFactsIn(body)];
  } catch (cause) {
    throw Object.assign(new Error("a row of state_log is damaged", { cause }), { code: "SQLITE_CORRUPT" });
  }
}

export const UPDATE_OWN = `UPDATE monitor_states SET ${assignmentsOf(monitorStates, ["monitorId"])} WHERE monitor_id = $monitorId`;

// How the column `body` is written. It has the facts of one monitor after the other. Facts for which `isPackableState`
// is true are written as their packed numbers: first the id, then a mask, then those numbers that differ from `USUAL`.
// The mask has a bit for each number after the id; the bit is 1 if the number follows. Other facts are written as a 0,
// the length of their JSON in bytes, and the JSON. A number takes one byte for every seven bits, the lowest first; its
// lowest bit is its sign. If a number is added to the packed form, a migration must be added too, even an empty one.
// Otherwise an earlier version could misread the log after a crash.

const MASK_BYTES = Math.ceil((WIDTH - 1) / 8);
/**
 * For each number of a packed row, its usual value, which is not written: `NULL` where the number may be null,
 * otherwise 0.
 */
const USUAL = Float64Array.from({ length: WIDTH }, (_, index) => (NULLABLE.includes(index) ? NULL : 0));
/**
 * The indices of the first and last instant of a packed row. The first, `changedAt`, is written as it is. The others
 * are written as distances from it, which take fewer bytes.
 */
const FIRST_INSTANT_PLACE = 1;
const LAST_INSTANT_PLACE = 6;

/**
 * Facts of one monitor that are stored as JSON count as this many packed facts. The count of the log decides when
 * monitors' own rows are written. JSON takes about four times as much memory as packed facts, and even more of the
 * file.
 */
const JSON_FACTS_COUNT_AS = 4;

/**
 * The largest number that can be written. A byte holds seven bits, so a number takes at most eight bytes. So does the
 * distance between two instants, which is written in place of some instants.
 */
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
    /** Adds the facts of one monitor. Returns how many facts they count as: 1, or `JSON_FACTS_COUNT_AS`. */
    add: (row: StateRow): number => {
      const isNumbers = isPackableState(row) && fits(row);
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

/** Packs the facts into `numbers`, and returns whether each number can be written. */
function fits(row: StateRow): boolean {
  pack(numbers, 0, row);
  for (let index = 0; index < WIDTH; index++) {
    const value = numbers[index]!;
    if (!isUsual(value, index) && !(Number.isInteger(value) && Math.abs(value) <= NUMBER_MAX)) return false;
  }
  return true;
}

/**
 * Whether the number need not be written, because it has its usual value. `NULL` is NaN, which is not equal to itself.
 */
const isUsual = (value: number, index: number): boolean =>
  value === USUAL[index] || (Number.isNaN(value) && Number.isNaN(USUAL[index]));

const baseOf = (index: number): number =>
  index > FIRST_INSTANT_PLACE && index <= LAST_INSTANT_PLACE ? numbers[FIRST_INSTANT_PLACE]! : 0;

/** Reads the facts in the body of a row, in the order in which they were written. */
export function* loggedFactsIn(body: Uint8Array): Generator<StateRow> {
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
