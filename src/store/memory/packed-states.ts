// Holds the newest facts of most monitors in memory, so that a report reads no row. A monitor's facts are 22 numbers
// side by side, 176 bytes. As an object they would take three times as much, and the garbage collector would visit each
// object. Facts that are not only numbers, such as a manual pause, are not held here. A rollback of a transaction
// undoes its changes here too.

import type { StateRow } from "../monitor-state.ts";

/**
 * How many monitors can be held at once. A monitor's place is its id modulo this number. Of two monitors with the same
 * place, only one is held.
 */
const PLACES = 131_072;
/** Memory is allocated in pages of this many places, so that a rollcall with few monitors takes little memory. */
const PLACES_A_PAGE = 4_096;
/**
 * How many numbers the place of one monitor has. The first number is the id of the monitor; 0 when the place is free.
 */
export const WIDTH = 22;

/** NaN stands for `null`, because no fact is NaN. */
export const NULL = Number.NaN;
/** Which of the `WIDTH` numbers can be `null`, by their index. The monitor's id has the index 0. */
export const NULLABLE: readonly number[] = [2, 3, 4, 5, 6, 7, 8, 13, 16, 17, 21];
const nullUnlessNumber = (value: number): number | null => (Number.isNaN(value) ? null : value);

const UNHEARD = 1;
const WARNED = 2;

export type PackedStates = ReturnType<typeof packedStates>;

export function packedStates(places = PLACES) {
  const pages: Float64Array[] = [];

  /** Returns the page that has the numbers of a place, and the index `at` at which they begin. */
  function numbersOf(place: number): readonly [page: Float64Array, at: number] {
    const number = Math.floor(place / PLACES_A_PAGE);
    pages[number] ??= new Float64Array(PLACES_A_PAGE * WIDTH);
    return [pages[number], (place % PLACES_A_PAGE) * WIDTH];
  }

  const earlier = createEarlierNumbers((place, numbers) => {
    const [page, at] = numbersOf(place);
    page.set(numbers, at);
  });

  function remove(id: number): void {
    const place = id % places;
    const [page, at] = numbersOf(place);
    if (page[at] !== id) return;
    earlier.keep(place, page, at);
    page[at] = 0;
  }

  return {
    get: (id: number): StateRow | undefined => {
      const [page, at] = numbersOf(id % places);
      return page[at] === id ? unpack(page, at) : undefined;
    },
    /**
     * Holds a monitor's newest facts. Returns false when they cannot be held, because they are not only numbers or
     * another monitor has the place. The earlier facts of this monitor are then removed.
     */
    set: (row: StateRow): boolean => {
      const place = row.monitorId % places;
      const [page, at] = numbersOf(place);
      if (!isPackableState(row)) {
        remove(row.monitorId);
        return false;
      }
      if (page[at] !== row.monitorId && page[at] !== 0) return false;
      earlier.keep(place, page, at);
      pack(page, at, row);
      return true;
    },
    remove,
    clear: () => {
      pages.length = 0;
      earlier.forget();
    },
    /** Forgets how to undo all earlier changes, because the transaction that made them has ended. */
    forget: earlier.forget,
    mark: earlier.mark,
  };
}

/**
 * Remembers what places held before the present transaction changed them, in one array of numbers, so that a change
 * makes no object. `putBack` writes earlier numbers into a place again.
 */
function createEarlierNumbers(putBack: (place: number, numbers: Float64Array) => void) {
  /**
   * What places held before they were changed, the oldest change first. For each change: the number of the place, then
   * the `WIDTH` numbers that stood in the place before.
   */
  let changes = new Float64Array(64 * (WIDTH + 1));
  let count = 0;

  function undoLast(): void {
    count--;
    const from = count * (WIDTH + 1);
    putBack(changes[from]!, changes.subarray(from + 1, from + 1 + WIDTH));
  }

  return {
    keep: (place: number, page: Float64Array, at: number): void => {
      const from = count * (WIDTH + 1);
      if (from === changes.length) {
        const larger = new Float64Array(2 * changes.length);
        larger.set(changes);
        changes = larger;
      }
      changes[from] = place;
      for (let index = 0; index < WIDTH; index++) changes[from + 1 + index] = page[at + index]!;
      count++;
    },
    forget: (): void => {
      count = 0;
    },
    /**
     * Returns a function that undoes the changes since this call. After the next `forget` that function must not be
     * called.
     */
    mark: () => {
      const until = count;
      return () => {
        while (count > until) undoLast();
      };
    },
  };
}

/** Whether numbers can express all these facts. They cannot for a paused monitor, for example. */
export const isPackableState = (row: StateRow): boolean =>
  row.carried === null &&
  row.excusedBy === null &&
  row.pausedManually === 0 &&
  row.pausedUntil === null &&
  row.pausedByDiscovery === 0 &&
  row.pausedByPlan === 0 &&
  row.pausedBySuspension === 0 &&
  row.pendingFail === 0 &&
  row.pendingFailMessage === null &&
  row.pendingFailRunId === null &&
  row.pendingFailAt === null &&
  row.pendingFailHeardAt === null;

/** Writes facts for which `isPackableState` is true into `page`, from the index `at` on. */
export function pack(page: Float64Array, at: number, row: StateRow): void {
  page[at] = row.monitorId;
  page[at + 1] = row.changedAt;
  page[at + 2] = row.receivedAt ?? NULL;
  page[at + 3] = row.succeededAt ?? NULL;
  page[at + 4] = row.failedAt ?? NULL;
  page[at + 5] = row.expectedAt ?? NULL;
  page[at + 6] = row.wakeAt ?? NULL;
  page[at + 7] = row.succeededAfterMs ?? NULL;
  page[at + 8] = row.startedAfterMs ?? NULL;
  page[at + 9] = row.misses;
  page[at + 10] = row.failures;
  page[at + 11] = (row.unheard === 1 ? UNHEARD : 0) | (row.warned === 1 ? WARNED : 0);
  page[at + 12] = row.runCount;
  page[at + 13] = row.lastRunMs ?? NULL;
  page[at + 14] = row.incidentCount;
  page[at + 15] = row.pingCount;
  page[at + 16] = row.lastPingId ?? NULL;
  page[at + 17] = row.lastFailurePingId ?? NULL;
  page[at + 18] = row.driftMinutes;
  page[at + 19] = row.driftReports;
  page[at + 20] = row.runsThatMatter;
  page[at + 21] = row.openIncidentId ?? NULL;
}

export const unpack = (page: Float64Array, at: number): StateRow => ({
  monitorId: page[at]!,
  changedAt: page[at + 1]!,
  receivedAt: nullUnlessNumber(page[at + 2]!),
  succeededAt: nullUnlessNumber(page[at + 3]!),
  failedAt: nullUnlessNumber(page[at + 4]!),
  expectedAt: nullUnlessNumber(page[at + 5]!),
  carried: null,
  wakeAt: nullUnlessNumber(page[at + 6]!),
  excusedBy: null,
  unheard: (page[at + 11]! & UNHEARD) === 0 ? 0 : 1,
  succeededAfterMs: nullUnlessNumber(page[at + 7]!),
  startedAfterMs: nullUnlessNumber(page[at + 8]!),
  misses: page[at + 9]!,
  failures: page[at + 10]!,
  warned: (page[at + 11]! & WARNED) === 0 ? 0 : 1,
  pausedManually: 0,
  pausedUntil: null,
  pausedByDiscovery: 0,
  pausedByPlan: 0,
  pausedBySuspension: 0,
  pendingFail: 0,
  pendingFailMessage: null,
  pendingFailRunId: null,
  pendingFailAt: null,
  pendingFailHeardAt: null,
  runCount: page[at + 12]!,
  runsThatMatter: page[at + 20]!,
  lastRunMs: nullUnlessNumber(page[at + 13]!),
  incidentCount: page[at + 14]!,
  openIncidentId: nullUnlessNumber(page[at + 21]!),
  pingCount: page[at + 15]!,
  lastPingId: nullUnlessNumber(page[at + 16]!),
  lastFailurePingId: nullUnlessNumber(page[at + 17]!),
  driftMinutes: page[at + 18]!,
  driftReports: page[at + 19]!,
});
