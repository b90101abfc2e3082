// A hierarchical timing wheel: it knows which monitors are due, to the second. It holds hints only (R19): the stored
// row is the truth and is read again when a hint fires. It starts no timer, reads no clock, and allocates nothing when
// arming.

import { type Instant, SECOND } from "../../domain/time.ts";

// A tick is a second since 1970 as an unsigned 32-bit number, which lasts until 2106. Its four bytes are its digits on
// four levels of 256 slots. An entry is on the level of the highest digit in which its tick differs from the wheel's
// position, in the slot of that digit. So every entry of a slot lies after the position, and a slot is opened when the
// position enters its span. The entries of an opened slot are loose, until they fire or get a new place.
const LEVELS = 4;
const DIGIT_BITS = 8;
const SLOTS_PER_LEVEL = 1 << DIGIT_BITS;
const LOOSE = LEVELS * SLOTS_PER_LEVEL;
const LISTS = LOOSE + 1;

const LAST_TICK = 2 ** 32 - 1;
/** The tick of a monitor that is not armed. An instant as early as this is armed for the second after it. */
const NEVER = 0;

/** How many entries of a slot are placed in one turn of the event loop; a full slot takes several turns. */
const PLACED_PER_ADVANCE = 1_000;

export type Wheel = ReturnType<typeof createWheel>;

export function createWheel(now: Instant) {
  // The lists are the slots and the list of loose entries. Behind the heads of the lists, node LISTS + id belongs to
  // monitor `id`.
  const lists = createNodeLists(LISTS);
  let ticks = new Uint32Array(2 * LISTS);
  let position = tickBefore(now);
  let size = 0;

  /**
   * Remembers that monitor `id` (a positive integer; memory grows with the largest) is due at `wakeAt`. It replaces an
   * earlier hint; `null` forgets it.
   */
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
      // An entry that moves to a later time stays where it is, and gets a new place when its slot opens. Most pings end
      // here.
      if (tick >= before) return;
      lists.unlink(node);
      size--;
    }
    if (tick === NEVER) return;
    lists.append(listFor(tick, position), node);
    size++;
  }

  /**
   * Moves the wheel to `to`, which may also lie before its position, and returns monitors that are due by the start of
   * that second: at most `limit`, in no order. Each of them is forgotten. The work of a call is limited; `more` tells
   * whether some is left.
   */
  function advance(to: Instant, limit: number): number[] {
    const target = tickBefore(to);
    openSlots(lists, position, target);
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
   * True while `advance` has work to do although the clock has not moved. It must then be called again in a later turn.
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

/** Opens every slot whose span begins in (position, target]: at most 1,024 slots, however far the clock jumped. */
function openSlots(lists: ReturnType<typeof createNodeLists>, position: number, target: number): void {
  // When the clock steps back, no entry's place is right any more. All entries become loose, and none is lost.
  if (target < position) for (let slot = 0; slot < LOOSE; slot++) lists.pour(slot, LOOSE);
  if (target <= position) return;
  const top = levelOf(target ^ position);
  for (let level = 0; level <= top; level++) {
    const last = level === top ? slotOf(target, level) : slotOf(LAST_TICK, level);
    for (let slot = slotOf(position, level) + 1; slot <= last; slot++) lists.pour(slot, LOOSE);
  }
}

const listFor = (tick: number, position: number): number =>
  tick <= position ? LOOSE : slotOf(tick, levelOf(tick ^ position));

const tickBefore = (instant: Instant): number => clamp(Math.floor(instant / SECOND));

/** The first second that begins at or after the instant, so that a hint never fires too early. */
const tickAfter = (instant: Instant): number => clamp(Math.ceil(instant / SECOND));

const clamp = (tick: number): number => Math.min(Math.max(tick, NEVER + 1), LAST_TICK);

/** The level of the highest digit in which two ticks differ, given their difference (xor), which must not be 0. */
const levelOf = (difference: number): number => Math.floor((31 - Math.clz32(difference)) / DIGIT_BITS);

const slotOf = (tick: number, level: number): number =>
  level * SLOTS_PER_LEVEL + ((tick >>> (level * DIGIT_BITS)) & (SLOTS_PER_LEVEL - 1));

// Circular doubly linked lists of numbered nodes in typed arrays, 8 bytes a node. Moving a node, or a whole list,
// allocates nothing. The first nodes are the lists' heads; every other node is in at most one list.

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
    /** The first node of a list that is not empty. */
    first: (head: number) => next[head]!,
    append: (head: number, node: number): void => {
      join(previous[head]!, node);
      join(node, head);
    },
    unlink: (node: number) => join(previous[node]!, next[node]!),
    /** Moves all nodes of one list to the end of another. */
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

/** Returns the array, or a longer copy filled with zeros if it has no room for this place. */
function withRoomFor<Numbers extends Int32Array | Uint32Array>(place: number, numbers: Numbers): Numbers {
  if (place < numbers.length) return numbers;
  const Longer = numbers.constructor as new (length: number) => Numbers;
  const longer = new Longer(Math.max(2 * numbers.length, place + 1));
  longer.set(numbers);
  return longer;
}
