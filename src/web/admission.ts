// Lets in what people ask for by GET, one request a turn of the event loop, and works on two pages of a person at once: so
// however much one of them asks for, reports and other people have their turn.

import { type Refusal, refuse, STATUS } from "../domain/errors.ts";
import { readTarget } from "../http/api/paths.ts";
import type { Pages, Socket } from "../http/pages.ts";
import { PAGE_HEADERS } from "./answer.tsx";
import { ASSETS_PATH } from "./assets/assets.ts";
import { type FewAtOnce, fewAtOnce } from "./few-at-once.ts";
import { isLive } from "./live/live-path.ts";
import type { Seats } from "./live/seats.ts";
import { nextTurn } from "./turns.ts";
import type { Viewer, ViewerOf } from "./viewer.ts";

const AT_ONCE = 2;
/** More than a browser with many tabs asks for when it starts. */
const WAITING = 100;

const TOO_MANY = refuse("RATE_LIMIT_EXCEEDED", "you have asked for too many pages at once; try again in a moment");

/** Nobody reads it: the browser has gone away. */
const gone = (): Response => new Response(null);

export function createAdmission(viewerOf: ViewerOf, seats: Seats): Pages["admit"] {
  const people = new Map<number, { readonly run: FewAtOnce; asked: number }>();
  let lastIn: Promise<void> = Promise.resolve();

  /** One of them waits for a turn beside the pieces of pages, whose turns would else come after all of them. */
  function myTurn(): Promise<void> {
    lastIn = lastIn.then(nextTurn);
    return lastIn;
  }

  async function inOrder({ id }: Viewer, request: Request, answer: () => Promise<Response>): Promise<Response> {
    const work = people.get(id) ?? { run: fewAtOnce(AT_ONCE, WAITING), asked: 0 };
    people.set(id, work);
    work.asked++;
    try {
      return (await work.run(async () => (request.signal.aborted ? gone() : answer()))) ?? turnedAway(TOO_MANY);
    } finally {
      work.asked--;
      if (work.asked === 0) people.delete(id);
    }
  }

  return async (request, socket, answer) => {
    if (!isLook(request)) return answer();
    await myTurn();
    if (request.signal.aborted) return gone();
    const viewer = known(viewerOf, request, socket);
    if (viewer === null) return answer();
    const full = isLive(request) ? seats.refuse(viewer) : null;
    return full === null ? inOrder(viewer, request, answer) : turnedAway(full);
  };
}

const isLook = ({ method, url }: Request): boolean =>
  (method === "GET" || method === "HEAD") && !readTarget(url).path.startsWith(ASSETS_PATH);

/** What cannot be read now is told where the page is made. */
function known(viewerOf: ViewerOf, request: Request, socket: Socket): Viewer | null {
  try {
    return viewerOf(request, socket);
  } catch {
    return null;
  }
}

const RETRY_SECONDS = 30;

/** In plain words: a page would cost as much as what is refused. */
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
