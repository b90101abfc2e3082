// A timing wheel: it says each second which monitors may be due. Its entries are only hints (R19): when a hint comes
// due, the monitor is read from the database and decided again. The wheel starts no timer, reads no clock, and needs no
// new memory when a monitor is armed.

import { type Instant, SECOND } from "../../domain/time.ts";

// How it works: a tick is a second since 1970 as an unsigned 32-bit number, which lasts until 2106. Its four bytes are
// its digits, one for each of four levels; the lowest byte belongs to level 0. Each level has 256 buckets, one for each
// value of its digit. An entry's level is that of the highest digit in which its tick differs from the wheel's
// position. Its bucket there is its own digit. For example, at position 0x0105 the tick 0x0203 differs first in the
// digit 02, so it is in bucket 02 of level 1. When the position reaches 0x0200, this bucket is opened. The entries of
// an opened bucket are loose, until they come due or are placed on a lower level.
const LEVELS = 4;
const DIGIT_BITS = 8;
const BUCKETS_PER_LEVEL = 1 << DIGIT_BITS;
const LOOSE = LEVELS * BUCKETS_PER_LEVEL;
const LISTS = LOOSE + 1;

const LAST_TICK = 2 ** 32 - 1;
/** The tick of a monitor that is never due. No other monitor has it: instants before second 1 count as second 1. */
const NEVER = 0;

/**
 * How many loose entries one call of `advance` puts into their buckets at most. An entry is loose from the moment its
 * bucket comes up. A bucket with more entries takes several calls.
 */
const PLACED_PER_ADVANCE = 1_000;

export type Wheel = ReturnType<typeof createWheel>;

export function createWheel(now: Instant) {
  // Lists 0 to LOOSE - 1 are the buckets; list LOOSE has the loose entries, which were taken out of an opened bucket.
  // In the arrays, the heads of the lists come first, and the entry of monitor `id` has place LISTS + id.
  const lists = createNodeLists(LISTS);
  let ticks = new Uint32Array(2 * LISTS);
  let position = tickBefore(now);
  let size = 0;

  /** Sets when monitor `id` is due; `null` means never. The memory grows with the largest `id`. */
  function arm(id: number, wakeAt: Instant | null): void {
    const node = LISTS + id;
    if (node >= ticks.length) {
      ticks = withRoomFor(node, ticks);
      lists.reserve(node);
    }
    const before = ticks[node]!;
    const tick = wakeAt === null ? NEVER : tickAfter(wakeAt);
    ticks[node] = tick;
    if (before !== NEVER) {
      // The usual case after a report: the monitor is due later than before. Its entry stays in its bucket, and is put
      // into another one when that bucket opens.
      if (tick >= before) return;
      lists.unlink(node);
      size--;
    }
    if (tick === NEVER) return;
    lists.append(listFor(tick, position), node);
    size++;
  }

  /**
   * Moves the wheel to `to`, which may also be earlier than its position. Returns at most `limit` monitors that are due
   * by the start of that second, in no order, and removes their entries. The work of one call is limited; `more` tells
   * whether some is left.
   */
  function advance(to: Instant, limit: number): number[] {
    const target = tickBefore(to);
    openBuckets(lists, position, target);
    position = target;
    const due: number[] = [];
    let placed = 0;
    while (more() && due.length < limit && placed < PLACED_PER_ADVANCE) {
      const node = lists.first(LOOSE);
      lists.unlink(node);
      const list = listFor(ticks[node]!, position);
      if (list === LOOSE) {
        ticks[node] = NEVER;
        size--;
        due.push(node - LISTS);
      } else {
        lists.append(list, node);
        placed++;
      }
    }
    return due;
  }

  /**
   * Whether `advance` has left entries that it must still look at, because the work of one call is limited. The caller
   * must then call `advance` again in a later turn.
   */
  const more = (): boolean => !lists.isEmpty(LOOSE);

  return {
    arm,
    advance,
    more,
    get size() {
      return size;
    },
  };
}

/**
 * Moves the entries of every bucket whose span of time begins after `position`, and not after `target`, to the list of
 * loose entries. These are at most 1,024 buckets, however far the clock jumped.
 */
function openBuckets(lists: ReturnType<typeof createNodeLists>, position: number, target: number): void {
  // When the clock goes back, the entries are in wrong buckets. So every entry becomes loose, and `advance` puts it
  // into its bucket again.
  if (target < position) for (let bucket = 0; bucket < LOOSE; bucket++) lists.pour(bucket, LOOSE);
  if (target <= position) return;
  const top = levelOf(target ^ position);
  for (let level = 0; level <= top; level++) {
    const last = level === top ? bucketOf(target, level) : bucketOf(LAST_TICK, level);
    for (let bucket = bucketOf(position, level) + 1; bucket <= last; bucket++) lists.pour(bucket, LOOSE);
  }
}

const listFor = (tick: number, position: number): number =>
  tick <= position ? LOOSE : bucketOf(tick, levelOf(tick ^ position));

const tickBefore = (instant: Instant): number => clamp(Math.floor(instant / SECOND));

/** The first whole second at or after the instant, so that a monitor never comes due before its instant. */
const tickAfter = (instant: Instant): number => clamp(Math.ceil(instant / SECOND));

const clamp = (tick: number): number => Math.min(Math.max(tick, NEVER + 1), LAST_TICK);

/** The level of the highest digit in which two ticks differ. `difference` is their exclusive or, and not 0. */
const levelOf = (difference: number): number => Math.floor((31 - Math.clz32(difference)) / DIGIT_BITS);

const bucketOf = (tick: number, level: number): number =>
  level * BUCKETS_PER_LEVEL + ((tick >>> (level * DIGIT_BITS)) & (BUCKETS_PER_LEVEL - 1));

// Below: circular doubly linked lists of numbered nodes, in typed arrays with 8 bytes for each node. Moving a node or a
// whole list needs no new memory. The first nodes are the heads of the lists. Every other node is in at most one list.

function createNodeLists(heads: number) {
  let next = new Int32Array(2 * heads);
  let previous = new Int32Array(2 * heads);
  for (let head = 0; head < heads; head++) next[head] = previous[head] = head;

  function join(left: number, right: number): void {
    next[left] = right;
    previous[right] = left;
  }

  return {
    reserve: (node: number): void => {
      next = withRoomFor(node, next);
      previous = withRoomFor(node, previous);
    },
    isEmpty: (head: number) => next[head] === head,
    /** The first node of the list, which must not be empty. */
    first: (head: number) => next[head]!,
    append: (head: number, node: number): void => {
      join(previous[head]!, node);
      join(node, head);
    },
    unlink: (node: number) => join(previous[node]!, next[node]!),
    /** Moves all nodes of the list `from` to the end of the list `to`. */
    pour: (from: number, to: number): void => {
      const first = next[from]!;
      if (first === from) return;
      const last = previous[from]!;
      next[from] = previous[from] = from;
      join(previous[to]!, first);
      join(last, to);
    },
  };
}

/** Returns the array, or a longer copy when it is too short for the index `place`. New numbers are 0. */
function withRoomFor<Numbers extends Int32Array | Uint32Array>(place: number, numbers: Numbers): Numbers {
  if (place < numbers.length) return numbers;
  const Longer = numbers.constructor as new (length: number) => Numbers;
  const longer = new Longer(Math.max(2 * numbers.length, place + 1));
  longer.set(numbers);
  return longer;
}
