// The types of what answers requests: a handler for each path, and the pages for people.

import type { Server } from "bun";
import type { AnyElysia } from "elysia";
import type { Refusal } from "../domain/errors.ts";

/**
 * A response. It is a promise only where that cannot be avoided: Bun closes a connection that sends more before the
 * promise has settled.
 */
export type Responded = Response | Promise<Response>;

/** Answers one request whose transport was already accepted. `client` finds out its address. */
export type Handler = (request: Request, client: () => string) => Responded;

export type RespondUnknown = (request: Request, client: () => string) => Responded | null;

/**
 * Handlers by the pattern of the raw path, as `Bun.serve` takes it: `:name` is a segment, `*` at the end all others.
 */
export type Routes = Readonly<Record<string, Handler>>;

/** Routes for a path with and without a final slash (R5). */
export const withSlash = (path: string, handle: Handler): Routes => ({ [path]: handle, [`${path}/`]: handle });

export type PublicPaths = Readonly<{ routes: Routes; unknown: RespondUnknown | null }>;

export type Socket = Pick<Server<unknown>, "requestIP"> | null;

export interface RequestOrigin {
  clientOf(request: Request, socket: Socket): string;
  /** Whether the request reached us, or a proxy that we trust, over HTTPS. */
  isSecure(request: Request, socket: Socket): boolean;
  /** Whether the request came from a proxy whose headers we trust, and through it from another client. */
  isByProxy(request: Request, socket: Socket): boolean;
  /** Why people may not open pages under the host name that the request uses; `null` when they may. */
  refuseHost(request: Request): Refusal | null;
}

export interface Pages {
  readonly routes: AnyElysia;
  allowed(path: string): readonly string[];
  /** Answers a request when its turn has come, or says why it gets no turn. */
  admit(request: Request, socket: Socket, respond: () => Responded): Responded;
  /** Closes the connections that are held open for browsers, because a stop must not wait for them. */
  stop(): void;
  /** Makes a page that says why a request was refused; `more` are headers. */
  refused(request: Request, refusal: Refusal, more?: Readonly<Record<string, string>>): Response;
}

export type MakePages = (requestOrigin: RequestOrigin) => Pages;
