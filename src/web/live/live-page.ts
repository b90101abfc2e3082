// Serves the pages that stay open, and the connections that keep them current: one connection for all windows of a
// browser.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { doInPieces } from "../../http/yield.ts";
import { turnedAway } from "../admission.ts";
import type { PagesParts } from "../pages-parts.ts";
import type { Asking } from "../signed-in.ts";
import type { Viewer } from "../viewer.ts";
import { zoneOf } from "../viewer-zone.ts";
import { type EventSink, namedEvent } from "./event-stream.ts";
import { type LiveView, throttledOnChange } from "./live.ts";
import { contentHashOf, partsOfGoneSubject, type Shown } from "./live-part.tsx";
import { seatSessionOf } from "./seats.ts";

interface WatchedPage<Params> {
  /** The pattern of the page's address. */
  readonly at: string;
  /**
   * A text on which the page's content depends, besides its address and its viewer's rights and zone. Viewers with
   * different texts share no page. Absent when the page depends on nothing else.
   */
  readonly by?: (asking: Asking) => string;
  /** Called each time before the page is made. */
  readonly prepare?: () => Promise<void>;
  /** Finds the only monitor that the page is about; `null`, or absent, when the page is about all monitors. */
  readonly monitorOf?: (asking: Asking, params: Params) => number | null | Refusal;
  /** How many milliseconds pass between two updates at least; absent to update as soon as something has changed. */
  readonly rest?: number;
}

interface LivePage<Seen, Params> extends WatchedPage<Params> {
  readonly look: (asking: Asking, params: Params) => InPieces<Seen | Refusal>;
  readonly shown: (seen: Seen, viewer: Viewer) => InPieces<Shown>;
  readonly page: (asking: Asking, seen: Seen, shown: Shown) => Response;
}

/** Lets open windows watch a page, and returns the function that makes the page for a request. */
export function livePage<Seen extends object, Params = object>(
  parts: PagesParts,
  { look, shown, page, ...live }: LivePage<Seen, Params>,
) {
  function* made(asking: Asking, params: Params): InPieces<Response | Refusal> {
    const seen = yield* look(asking, params);
    if (isRefusal(seen)) return seen;
    const changing = yield* shown(seen, asking.viewer);
    yield;
    return page(asking, seen, changing);
  }

  watched(parts, live, function* (asking, params) {
    const seen = yield* look(asking, params);
    return yield* isRefusal(seen) ? partsOfGoneSubject() : shown(seen, asking.viewer);
  });
  return async (asking: Asking, params: Params): Promise<Response | Refusal> => {
    await live.prepare?.();
    return doInPieces(parts.engine.scheduler, made(asking, params));
  };
}

type LookAgain<Params> = (asking: Asking, params: Params) => InPieces<Shown>;

/** Lets open windows watch a page over the one connection that a browser has for all its windows. */
export function watched<Params>(
  { livePages, news, ...timing }: PagesParts,
  { at, by, prepare = async () => {}, monitorOf = () => null, rest }: WatchedPage<Params>,
  look: LookAgain<Params>,
): void {
  const make = (asking: Asking, params: Params): LiveView | Refusal => {
    const monitorId = monitorOf(asking, params);
    if (isRefusal(monitorId)) return monitorId;
    const search = new URLSearchParams(asking.search);
    search.delete("seen");
    const zone = zoneOf(asking.request, "");
    const onChange = (wake: () => void) => news.onChange(monitorId, wake);
    return {
      key: JSON.stringify([at, params, search.toString(), rightsOf(asking.viewer), by?.(asking), zone]),
      prepare,
      look: () => look(asking, params),
      onChange: rest === undefined ? onChange : throttledOnChange(onChange, rest, timing),
      isSeen: (shown) => contentHashOf(shown) === asking.search.get("seen"),
    };
  };
  livePages.push({ segments: at.split("/"), make });
}

/** The viewer's rights as a text; they decide what the viewer sees. */
const rightsOf = ({ role, applications }: Viewer): string => JSON.stringify([role, applications]);

// biome-ignore lint/suspicious/noExplicitAny: each pattern names its own parameters.
type MakeLiveView = (asking: Asking, params: any) => LiveView | Refusal;

/** How many windows one connection serves; a person has fewer open. */
const WINDOWS_MAX = 20;
const TOO_MANY_WINDOWS = refuse("INVALID_REQUEST", `of: at most ${WINDOWS_MAX} pages are watched by one connection`);

/**
 * Opens one connection that keeps the pages current whose addresses are the values of the parameter `of`. A page that
 * does not exist, or that the viewer may not see, sends nothing.
 */
export function liveWindows(parts: PagesParts, asking: Asking): Response | Refusal {
  const addresses = asking.search.getAll("of");
  if (addresses.length > WINDOWS_MAX) return TOO_MANY_WINDOWS;
  const views = addresses.map((address) => viewAt(parts, asking, address));
  return keptOpen(parts, asking, (start, sink) => {
    const ends = views.map((view, place) => {
      const send = (message: Uint8Array): void => sink.send(namedEvent(String(place), message));
      return view === null || isRefusal(view) ? () => {} : start(view, { ...sink, send });
    });
    return () => {
      for (const end of ends) end();
    };
  });
}

function viewAt({ livePages }: PagesParts, asking: Asking, address: string): LiveView | Refusal | null {
  const url = URL.parse(address, "http://localhost");
  const given = url?.pathname.split("/") ?? [];
  const isNamed = (segment: string): boolean => segment.startsWith(":");
  for (const { segments, make } of livePages) {
    if (segments.length !== given.length) continue;
    if (segments.some((segment, place) => !isNamed(segment) && segment !== given[place])) continue;
    const params = segments.flatMap((segment, place) =>
      isNamed(segment) ? [[segment.slice(1), decoded(given[place]!)]] : [],
    );
    return (make as MakeLiveView)({ ...asking, search: url!.searchParams }, Object.fromEntries(params));
  }
  return null;
}

/** Returns the decoded segment, or an empty text, which no page has, when its encoding is wrong. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}

type StartWatch = (view: LiveView, sink: EventSink) => () => void;

/**
 * Opens a connection and sends changes for as long as the browser listens. Refuses when too many pages of this viewer
 * are open.
 */
function keptOpen(
  { watch, viewerOf, stopping, seats, openStream, after }: PagesParts,
  { request, server, viewer }: Asking,
  open: (start: StartWatch, sink: EventSink) => () => void,
): Response {
  const full = seats.refuse(viewer);
  if (full !== null) return turnedAway(full);
  /**
   * Whether the viewer still has the rights with which the connection was opened. If not, the connection is closed, and
   * the browser connects again.
   */
  const mayLook = (): boolean => {
    const present = viewerOf(request, server);
    return present !== null && rightsOf(present) === rightsOf(viewer);
  };
  const session = seatSessionOf(viewer);
  const ends = { stopping, gone: request.signal, after, left: seats.take(viewer) };
  return openStream(ends, (sink) => open((view, of) => watch({ ...view, session, mayLook }, of), sink));
}
