// Closes connections of clients when too many are open: a process without a free file descriptor can neither answer nor
// send alerts nor open files. The client that has most connections loses its longest silent one first.

import type { Log } from "../domain/log.ts";
import { MINUTE, SECOND } from "../domain/time.ts";
import type { Clock } from "../engine/api.ts";
import type { Connection, Connections, Descriptors } from "./connections.ts";

export interface ConnectionLimiterParts {
  /**
   * How many file descriptors this process has in use and may have. `null` when the system does not say; then the
   * limiter does nothing.
   */
  readonly descriptors: Descriptors | null;
  /**
   * Lists and closes single connections. `null` where the system does not allow that. Then, when descriptors are
   * short, all connections whose requests have been answered are closed at once.
   */
  readonly connections: Connections | null;
  /** Whether one of our proxies has this address. Many clients share the connections of a proxy. */
  readonly isProxy: (address: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Calls `run` once after this number of milliseconds; the returned function cancels the call. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

export interface GuardedServer {
  readonly port: number;
  closeIdle(): number;
}

export type ConnectionLimiter = ReturnType<typeof createConnectionLimiter>;

/**
 * How many descriptors are kept free at most: three for each of the 16 messages that are sent at once, and 16 for
 * everything else that we open.
 */
const RESERVE_MAX = 64;
/**
 * The largest share of the limit that is kept free. With a limit of 60, for example, 20 are kept free instead of
 * `RESERVE_MAX`, so that clients get a part too.
 */
const RESERVE_SHARE = 1 / 3;
/**
 * The milliseconds between two checks of how many descriptors are in use. All the times that follow are in milliseconds
 * too.
 */
const CHECK_EVERY = 250;
/**
 * The milliseconds to the next check after a check that closed connections. Clients that wait in the system's queue of
 * new connections take the freed descriptors at once, so there may soon be too many again.
 */
const CHECK_AGAIN = 5;
/**
 * The limiter rests at least this many times as long as the last check took. So checks take at most a fifth of the
 * time, however many connections there are.
 */
const REST_FACTOR = 4;
/** How long a connection must have been silent before it may be closed; after less, a request may be on the way. */
const SILENT = SECOND;
/**
 * Counts instead of `SILENT` when a message is about to need descriptors, or once a shortage has lasted
 * `IN_NEED_AFTER`. There is a shortage while fewer descriptors are free than shall be kept free. Some clients send a
 * single byte now and then so that their connection stays open.
 */
const SILENT_IN_NEED = 100;
/**
 * How many milliseconds a connection stays open at least after it has left the system's queue of new connections. In
 * this time its request gets a response. After that it may be closed while descriptors are short, because other
 * connections wait in the queue.
 */
const ANSWERED_IN = 10;
const IN_NEED_AFTER = 2 * SECOND;
/** For this long after a shortage of descriptors, a failure to send a message may be due to the shortage. */
const SHORTAGE_AFTERMATH = SECOND;

/** Makes a limiter. It checks nothing until `watch` is called with the server. */
export function createConnectionLimiter(parts: ConnectionLimiterParts) {
  const { descriptors, connections, isProxy, clock, log, after } = parts;
  let checkNow: (inNeed: boolean) => void = () => {};
  const closings = createClosings(parts);
  let shortAt = Number.NEGATIVE_INFINITY;

  /**
   * Starts to check the server's connections, and returns a function that ends the checks. Clients may use all
   * descriptors except those that are open at this call and those that are kept free.
   */
  function watch({ port, closeIdle }: GuardedServer): () => void {
    if (descriptors === null) return () => {};
    const { limit, inUse } = descriptors;
    const most = limit - Math.min(RESERVE_MAX, Math.floor(limit * RESERVE_SHARE));
    const ours = inUse();
    log("info", "descriptors", { limit, connections: Math.max(most - ours, 0) });
    let highest = ours;
    let roomAt = clock.monotonic();
    let firstSeen = createFirstSeen();
    let nextCheckAt = roomAt;
    let blockedFor = 0;
    let cancel = () => {};

    checkNow = (inNeed) => {
      const used = inUse();
      const now = clock.monotonic();
      const late = Math.max(now - nextCheckAt, 0);
      blockedFor += late;
      nextCheckAt += late;
      if (used <= most) {
        roomAt = now;
        if (now - shortAt > SHORTAGE_AFTERMATH) firstSeen = createFirstSeen();
        return;
      }
      shortAt = now;
      if (connections === null) {
        closings.note(closeIdle());
        return;
      }
      highest = Math.max(highest, used);
      // The system gives out the lowest free descriptor. `highest` is the most descriptors that were seen in use, so
      // hardly any number lies above twice `highest`. Only lower numbers are looked at.
      const open = firstSeen(connections.list(port, Math.min(limit, 2 * highest)), now - blockedFor);
      const excess = open.length - Math.max(most - ours, 0);
      const silence = inNeed || now - roomAt > IN_NEED_AFTER ? SILENT_IN_NEED : SILENT;
      const going = whomToClose(open, excess, silence, isProxy);
      for (const connection of going) connections.hangUp(connection);
      closings.note(going.length);
    };

    const checkAndRepeat = (): void => {
      const from = clock.monotonic();
      const before = closings.count();
      checkNow(false);
      const now = clock.monotonic();
      const rest = Math.max(REST_FACTOR * (now - from), closings.count() > before ? CHECK_AGAIN : CHECK_EVERY);
      nextCheckAt = now + rest;
      cancel = after(rest, checkAndRepeat);
    };
    checkAndRepeat();
    return () => {
      cancel();
      checkNow = () => {};
    };
  }

  return {
    watch,
    /**
     * Checks at once, because a message is about to need descriptors. Connections are closed that have been silent for
     * `SILENT_IN_NEED`.
     */
    makeRoom: () => checkNow(true),
    wasShort: () => clock.monotonic() - shortAt < SHORTAGE_AFTERMATH,
    trouble: closings.trouble,
    /** `connectionsClosed` counts the connections that were closed since the start. */
    seen: () => ({
      descriptors: descriptors && { inUse: descriptors.inUse(), limit: descriptors.limit },
      connectionsClosed: closings.count(),
    }),
  };
}

/**
 * Makes a function that corrects how long each connection has been silent. Linux counts the time in the system's queue
 * as silence, although a request may wait there with its connection. So a connection that is seen for the first time
 * counts as silent for at most 90 ms (`SILENT_IN_NEED` less `ANSWERED_IN`). That leaves 10 ms for a response before the
 * connection may be closed. The first check that finds too few free descriptors leaves a silence of a second or more as
 * it is. Such a connection was accepted long before. `now` counts only the milliseconds in which this process could
 * run.
 */
function createFirstSeen(): (open: readonly Connection[], now: number) => Connection[] {
  let before: ReadonlyMap<string, number> | null = null;
  return (open, now) => {
    const seen = new Map<string, number>();
    const known = open.map((connection) => {
      const name = `${connection.descriptor} ${connection.address} ${connection.port}`;
      const wasLetInBefore = before === null && connection.silentFor >= SILENT;
      const since = wasLetInBefore ? Number.NEGATIVE_INFINITY : (before?.get(name) ?? now);
      seen.set(name, since);
      return { ...connection, silentFor: Math.min(connection.silentFor, now - since + SILENT_IN_NEED - ANSWERED_IN) };
    });
    before = seen;
    return known;
  };
}

const REMEDY = "raise the limit (LimitNOFILE= of the unit, ulimit -n), or find out who opens this many";

function createClosings({ descriptors, clock, log }: Pick<ConnectionLimiterParts, "descriptors" | "clock" | "log">) {
  const limit = descriptors?.limit;
  let closed = 0;
  let closedAt = Number.NEGATIVE_INFINITY;
  let unsaid = 0;
  let saidAt = Number.NEGATIVE_INFINITY;

  function note(count: number): void {
    if (count === 0) return;
    closed += count;
    unsaid += count;
    closedAt = clock.monotonic();
    if (closedAt - saidAt < MINUTE) return;
    log("warn", "connections_closed", { connections: unsaid, limit, rule: REMEDY });
    saidAt = closedAt;
    unsaid = 0;
  }

  return {
    note,
    count: () => closed,
    /** Why connections of clients were closed, for a minute after the last was closed; `null` otherwise. */
    trouble: (): string | null =>
      clock.monotonic() - closedAt < MINUTE
        ? `more connections are open than the limit of ${limit} open files leaves room for, and some were closed: ${REMEDY}`
        : null,
  };
}

/**
 * Picks at most `count` of the connections that have been silent for `silence` ms. Each time the client that has most
 * connections left loses its longest silent one. Connections of proxies come last, because they belong to many clients.
 */
export function whomToClose(
  open: readonly Connection[],
  count: number,
  silence: number,
  isProxy: (address: string) => boolean,
): Connection[] {
  if (count <= 0) return [];
  const ranked = [...Map.groupBy(open, ({ address }) => address)].flatMap(([address, theirs]) => {
    const proxy = isProxy(address);
    const silentFirst = theirs.toSorted((a, b) => b.silentFor - a.silentFor);
    // `left` counts the connections that the client still has when this one is to be closed, this one included: three
    // connections of a client get 3, 2 and 1. The highest numbers are closed first. Connections of a proxy get 0, so
    // they are closed last.
    return silentFirst.map((connection, place) => ({ connection, left: proxy ? 0 : theirs.length - place }));
  });
  return ranked
    .filter(({ connection }) => connection.silentFor >= silence)
    .sort((a, b) => b.left - a.left || b.connection.silentFor - a.connection.silentFor)
    .slice(0, count)
    .map(({ connection }) => connection);
}
