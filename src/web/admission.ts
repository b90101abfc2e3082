// Decides when a person's GET request is answered, so that reports and other people are not delayed. Requests are
// admitted for only a few milliseconds in each turn of the event loop, and at most two of one person at once. When no
// request waits, the next request is answered at once and without a promise. The reason: Bun closes a connection that
// sends another request while the response to its last one is not ready.

import { type Refusal, refuse, STATUS } from "../domain/errors.ts";
import type { Scheduler } from "../domain/scheduler.ts";
import type { Clock } from "../engine/api.ts";
import type { Pages, Responded, Socket } from "../http/handler.ts";
import { splitRequestTarget } from "../http/request-target.ts";
import { createYield } from "../http/yield.ts";
import { ASSETS_PATH } from "./assets/assets.ts";
import { type FewAtOnce, fewAtOnce } from "./few-at-once.ts";
import { isLiveRequest } from "./live/live-part.tsx";
import type { Seats } from "./live/seats.ts";
import { PAGE_HEADERS } from "./response.ts";
import type { Viewer, ViewerOf } from "./viewer.ts";
import { withEnd } from "./with-end.ts";

const AT_ONCE = 2;
/**
 * How many requests of one person may wait; further requests are refused. A browser with many tabs sends fewer when it
 * starts.
 */
const WAITING = 100;
/**
 * For how many milliseconds of each turn of the event loop requests are admitted: so few that reports are not delayed.
 */
const ADMITTING_MS = 2;
/**
 * How many requests of a turn are admitted without waiting even when they take longer than `ADMITTING_MS`. So a slow
 * machine, too, answers without a promise when one connection sends several requests together.
 */
const AT_LEAST = 6;

/**
 * For this many milliseconds, requests of a session with too many open pages are refused by their cookies alone,
 * without a look at the session. So a thousand connections of such a session need one query of the database.
 */
const REMEMBERED = 1_000;

const TOO_MANY = refuse("RATE_LIMIT_EXCEEDED", "you have asked for too many pages at once; try again in a moment");

type PageResponse = () => Responded;

const gone = (): Response => new Response(null);

type Unseated = Readonly<{ viewer: Viewer; cookies: string | null; at: number }>;

const cookiesIn = (request: Request): string | null => request.headers.get("cookie");

export function createAdmission(
  viewerOf: ViewerOf,
  seats: Seats,
  clock: Pick<Clock, "monotonic">,
  scheduler: Scheduler,
): Pages["admit"] {
  const yieldNow = createYield(scheduler);
  const people = new Map<number, { readonly run: FewAtOnce; asked: number }>();
  /** The requests that wait for a later turn, the oldest first. */
  const line: (() => void)[] = [];
  /**
   * How many requests of this turn were admitted without waiting, and for how many milliseconds they kept the event
   * loop.
   */
  let atOnce = 0;
  let tookMs = 0;
  /**
   * The last viewer who was refused because too many pages are open, with the cookies and the time of the request;
   * `null` when none was refused yet.
   */
  let lastUnseated: Unseated | null = null;

  const isTurnFull = (): boolean => line.length > 0 || (atOnce >= AT_LEAST && tookMs >= ADMITTING_MS);

  function letInAtOnce(respond: PageResponse): Responded {
    if (atOnce === 0)
      setImmediate(() => {
        atOnce = 0;
        tookMs = 0;
      });
    atOnce++;
    const beganAt = clock.monotonic();
    try {
      return respond();
    } finally {
      tookMs += clock.monotonic() - beganAt;
    }
  }

  function letInLater(respond: PageResponse): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<Response>();
    line.push(() => resolve(new Promise((settle) => settle(respond()))));
    if (line.length === 1) void letInLine();
    return promise;
  }

  /**
   * Admits the waiting requests, in each turn of the event loop as many as `ADMITTING_MS` allows. Between two turns,
   * pages that are being made go on. If a turn admitted only one request, the last of many would wait too long.
   */
  async function letInLine(): Promise<void> {
    while (line.length > 0) {
      await yieldNow();
      const beganAt = clock.monotonic();
      // A request leaves the line only after it is admitted: a request that comes meanwhile finds the line not empty
      // and waits at its end.
      do {
        line[0]!();
        line.shift();
      } while (line.length > 0 && clock.monotonic() - beganAt < ADMITTING_MS);
    }
  }

  function inOrder({ id }: Viewer, request: Request, respond: PageResponse): Responded {
    const work = people.get(id) ?? { run: fewAtOnce(AT_ONCE, WAITING, yieldNow), asked: 0 };
    people.set(id, work);
    work.asked++;
    const isDone = (): void => {
      work.asked--;
      if (work.asked === 0) people.delete(id);
    };
    return withEnd(() => work.run(() => (request.signal.aborted ? gone() : respond())) ?? turnedAway(TOO_MANY), isDone);
  }

  function letIn(request: Request, socket: Socket, respond: PageResponse): Responded {
    if (request.signal.aborted) return gone();
    const viewer = viewerOrNull(viewerOf, request, socket);
    if (viewer === null) return respond();
    const full = isLiveRequest(request) ? seats.refuse(viewer) : null;
    if (full === null) return inOrder(viewer, request, respond);
    if (viewer.sessionId !== null) lastUnseated = { viewer, cookies: cookiesIn(request), at: clock.monotonic() };
    return turnedAway(full);
  }

  /**
   * Refuses again a request that would keep a page current. It does so when the same cookies were refused within the
   * last second and too many pages are still open. Otherwise it returns `null`, and the request is admitted as usual.
   */
  function refuseAgain(request: Request): Refusal | null {
    if (lastUnseated === null || !isLiveRequest(request)) return null;
    if (cookiesIn(request) !== lastUnseated.cookies) return null;
    return clock.monotonic() - lastUnseated.at < REMEMBERED ? seats.refuse(lastUnseated.viewer) : null;
  }

  return (request, socket, respond) => {
    if (!isRead(request)) return respond();
    const full = refuseAgain(request);
    if (full !== null) return turnedAway(full);
    const now = (): Responded => letIn(request, socket, respond);
    return isTurnFull() ? letInLater(now) : letInAtOnce(now);
  };
}

const isRead = ({ method, url }: Request): boolean =>
  (method === "GET" || method === "HEAD") && !splitRequestTarget(url).path.startsWith(ASSETS_PATH);

/**
 * The viewer, by the session of the request. Returns `null` when there is none, or when the session cannot be read:
 * that error is reported where the page is made.
 */
function viewerOrNull(viewerOf: ViewerOf, request: Request, socket: Socket): Viewer | null {
  try {
    return viewerOf(request, socket);
  } catch {
    return null;
  }
}

const RETRY_SECONDS = 30;

/**
 * The response to a request that is refused because too much is asked for at once. It is plain text, because a page
 * would cost as much as the page that is refused.
 */
export const turnedAway = ({ refusal, message }: Refusal): Response =>
  new Response(`${message}\n`, {
    status: STATUS[refusal],
    headers: {
      ...PAGE_HEADERS,
      "content-type": "text/plain; charset=utf-8",
      "retry-after": String(RETRY_SECONDS),
      connection: "close",
    },
  });
