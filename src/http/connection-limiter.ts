// Keeps descriptors free for alerts and storage: when too many connections are open, it closes some, first the idle
// ones of the client that has most. A process without a free descriptor can neither send nor answer.

import type { Log } from "../domain/log.ts";
import { MINUTE, SECOND } from "../domain/time.ts";
import type { Clock } from "../engine/api.ts";
import type { Connection, Connections, Descriptors } from "./connections.ts";

export interface ConnectionLimiterParts {
  /**
   * The descriptors of this process; `null` when the system does not say how many there are; then nothing is watched.
   */
  readonly descriptors: Descriptors | null;
  /** The open connections; `null` when we cannot close single ones, but only all that have been answered. */
  readonly connections: Connections | null;
  /** Whether one of our proxies has this address, so that many clients share its connections. */
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
 * How many descriptors are kept free: for 16 messages that are sent at once, three each, and for everything else that
 * we open.
 */
const RESERVE_MAX = 64;
/** The largest share of all descriptors that is kept free, so that clients get a part even of few. */
const RESERVE_SHARE = 1 / 3;
/** The milliseconds between two checks. All the times that follow are in milliseconds too. */
const LOOK_EVERY = 250;
/**
 * When clients wait in the system's queue the next check comes this soon, because they get in as soon as descriptors
 * are free.
 */
const LOOK_AGAIN = 5;
/**
 * After a check the limiter rests this many times as long as the check took, so checks take at most a fifth of the
 * time, however many connections there are.
 */
const REST_FACTOR = 4;
/** A connection that has been silent for less than this may have a request on the way. */
const SILENT = SECOND;
/**
 * The shorter silence that counts while a message waits for descriptors, or after a long shortage: some clients send a
 * letter now and then to stay open.
 */
const SILENT_IN_NEED = 100;
/**
 * During a shortage, a connection whose request had already arrived when it was accepted must be answered within this
 * many milliseconds, because others wait in the system's queue.
 */
const ANSWERED_IN = 10;
/** After a shortage that lasts this long, the shorter silence counts. */
const IN_NEED_AFTER = 2 * SECOND;
/** A failure this soon after a shortage may have been caused by it. */
const MOMENT = SECOND;

/** Makes a limiter. It watches nothing until there is a server to guard. */
export function createConnectionLimiter(parts: ConnectionLimiterParts) {
  const { descriptors, connections, isProxy, clock, log, after } = parts;
  let look: (inNeed: boolean) => void = () => {};
  const closings = createClosings(parts);
  let shortAt = Number.NEGATIVE_INFINITY;

  /**
   * Starts watching and returns a function that stops it. The descriptors that are open now, and as many again for
   * alerts, are never counted as clients.
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
    let nextLookAt = roomAt;
    let blockedFor = 0;
    let cancel = () => {};

    look = (inNeed) => {
      const used = inUse();
      const now = clock.monotonic();
      const late = Math.max(now - nextLookAt, 0);
      blockedFor += late;
      nextLookAt += late;
      if (used <= most) {
        roomAt = now;
        if (now - shortAt > MOMENT) firstSeen = createFirstSeen();
        return;
      }
      shortAt = now;
      if (connections === null) {
        closings.note(closeIdle());
        return;
      }
      highest = Math.max(highest, used);
      // The system gives out the lowest free descriptor first, so hardly any is above twice the most that were ever
      // open.
      const open = firstSeen(connections.list(port, Math.min(limit, 2 * highest)), now - blockedFor);
      const excess = open.length - Math.max(most - ours, 0);
      const silence = inNeed || now - roomAt > IN_NEED_AFTER ? SILENT_IN_NEED : SILENT;
      const going = whomToClose(open, excess, silence, isProxy);
      for (const connection of going) connections.hangUp(connection);
      closings.note(going.length);
    };

    const lookOn = (): void => {
      const from = clock.monotonic();
      const before = closings.count();
      look(false);
      const now = clock.monotonic();
      const rest = Math.max(REST_FACTOR * (now - from), closings.count() > before ? LOOK_AGAIN : LOOK_EVERY);
      nextLookAt = now + rest;
      cancel = after(rest, lookOn);
    };
    lookOn();
    return () => {
      cancel();
      look = () => {};
    };
  }

  return {
    watch,
    /** Checks at once, for a message that is about to need descriptors. */
    makeRoom: () => look(true),
    wasShort: () => clock.monotonic() - shortAt < MOMENT,
    trouble: closings.trouble,
    /**
     * `descriptors` is `null` when the system does not say. `closed` counts the connections that were closed since the
     * start.
     */
    seen: () => ({
      descriptors: descriptors && { inUse: descriptors.inUse(), limit: descriptors.limit },
      closed: closings.count(),
    }),
  };
}

/**
 * Notes when each connection was first seen. While no descriptor is free, connections wait in the system's queue with
 * their requests. Their silence counts from the check that first saw them, because otherwise they would be closed
 * before their responses. A connection that has been silent for a second at that check was accepted long before it.
 * `now` counts the milliseconds in which this process could run: a process that waits for a processor or a disk answers
 * no request.
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
    /** Why clients are turned away, for a minute after it has happened; `null` when they are not. */
    trouble: (): string | null =>
      clock.monotonic() - closedAt < MINUTE
        ? `more connections are open than the limit of ${limit} open files leaves room for, and some were closed: ${REMEDY}`
        : null,
  };
}

/**
 * Picks this many of the connections that have been silent for `silence` ms: always the longest silent one of the
 * client that has most, so that no client loses one while another has more. Proxies come last, because their
 * connections belong to many clients.
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
    // Each connection of a proxy counts as one client.
    return silentFirst.map((connection, place) => ({ connection, left: proxy ? 0 : theirs.length - place }));
  });
  return ranked
    .filter(({ connection }) => connection.silentFor >= silence)
    .sort((a, b) => b.left - a.left || b.connection.silentFor - a.connection.silentFor)
    .slice(0, count)
    .map(({ connection }) => connection);
}
