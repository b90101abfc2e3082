// Admits the GET requests of people: for a few milliseconds in each turn of the event loop, and at most two pages of
// one person at once. So however much one person asks for, reports and other people have their turn. Where no request
// waits, the next is admitted at once and without a promise, because Bun closes a connection that sends more before the
// last response is there.

import { type Refusal, refuse, STATUS } from "../domain/errors.ts";
import type { Scheduler } from "../domain/scheduler.ts";
import type { Clock } from "../engine/api.ts";
import { readTarget } from "../http/api/read-path.ts";
import type { Pages, Responded, Socket } from "../http/handler.ts";
import { createYield } from "../http/yield.ts";
import { ASSETS_PATH } from "./assets/assets.ts";
import { isLiveRequest } from "./live/live-part.tsx";
import type { Seats } from "./live/seats.ts";
import { type FewAtOnce, fewAtOnce, withEnd } from "./page-work.ts";
import { PAGE_HEADERS } from "./response.ts";
import type { Viewer, ViewerOf } from "./viewer.ts";

const AT_ONCE = 2;
/** How many requests may wait: more than a browser with many tabs asks for when it starts. */
const WAITING = 100;
/**
 * For how many milliseconds requests are admitted in each turn of the event loop: so few that reports are not delayed.
 */
const SPAN = 2;
/**
 * How many requests are admitted at once however long they take, so that a slow machine, too, answers at once what one
 * connection sends at once.
 */
const AT_LEAST = 6;

/**
 * For how many milliseconds a session is remembered by its cookies, so that for a thousand connections the database is
 * asked once.
 */
const REMEMBERED = 1_000;

const TOO_MANY = refuse("RATE_LIMIT_EXCEEDED", "you have asked for too many pages at once; try again in a moment");

type PageResponse = () => Responded;

/** The response when the browser has gone away. */
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
  /** The requests that wait for a later turn. */
  const line: (() => void)[] = [];
  /** How many requests were admitted at once in this turn, and the milliseconds that they took. */
  let atOnce = 0;
  let tookMs = 0;
  /** The last session that had no seat left, and the cookies with which it asked. */
  let lastUnseated: Unseated | null = null;

  const isTurnFull = (): boolean => line.length > 0 || (atOnce >= AT_LEAST && tookMs >= SPAN);

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
   * The waiting requests take turns together with the pieces of pages: if each waited for its turn alone, its turn
   * would come after all of the pieces.
   */
  async function letInLine(): Promise<void> {
    while (line.length > 0) {
      await yieldNow();
      const beganAt = clock.monotonic();
      // A request leaves the line only after it is admitted, so that no new request is admitted before the rest of the
      // line.
      do {
        line[0]!();
        line.shift();
      } while (line.length > 0 && clock.monotonic() - beganAt < SPAN);
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
    const viewer = known(viewerOf, request, socket);
    if (viewer === null) return respond();
    const full = isLiveRequest(request) ? seats.refuse(viewer) : null;
    if (full === null) return inOrder(viewer, request, respond);
    if (viewer.sessionId !== null) lastUnseated = { viewer, cookies: cookiesIn(request), at: clock.monotonic() };
    return turnedAway(full);
  }

  /**
   * Returns the refusal while the same cookies still bring no seat, and `null` when they may or when other cookies
   * came.
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
  (method === "GET" || method === "HEAD") && !readTarget(url).path.startsWith(ASSETS_PATH);

/**
 * The viewer, if a session can be found. Returns `null` also when the session cannot be read: the error is reported
 * where the page is made.
 */
function known(viewerOf: ViewerOf, request: Request, socket: Socket): Viewer | null {
  try {
    return viewerOf(request, socket);
  } catch {
    return null;
  }
}

const RETRY_SECONDS = 30;

/**
 * The response for a request that gets no turn. It is plain text, because a page would cost as much as the page that is
 * refused.
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
