// Declares the types of the functions that answer requests: a handler for each public path, and the pages for people.

import type { Server } from "bun";
import type { AnyElysia } from "elysia";
import type { Refusal } from "../domain/errors.ts";

/**
 * A response, or the promise of one where that cannot be avoided. If another request arrives on the same connection
 * before the promise has settled, Bun closes the connection.
 */
export type Responded = Response | Promise<Response>;

/**
 * Answers one request; plain HTTP has already been refused where it is not accepted. `client` returns the client's
 * address.
 */
export type Handler = (request: Request, client: () => string) => Responded;

export type RespondUnknown = (request: Request, client: () => string) => Responded | null;

/**
 * Handlers by a pattern of the path as it was sent, not decoded. As `Bun.serve` has it, `:name` stands for one segment
 * and `*` at the end for all that follow.
 */
export type Routes = Readonly<Record<string, Handler>>;

/** Routes for a path with and without a final slash (R5). */
export const withSlash = (path: string, handle: Handler): Routes => ({ [path]: handle, [`${path}/`]: handle });

export type PublicPaths = Readonly<{ routes: Routes; unknown: RespondUnknown | null }>;

export type Socket = Pick<Server<unknown>, "requestIP"> | null;

export interface RequestOrigin {
  clientOf(request: Request, socket: Socket): string;
  /** Whether the client used HTTPS, to us or to a proxy that we trust. */
  isSecure(request: Request, socket: Socket): boolean;
  /** Whether a proxy that we trust has passed this request on for another client. */
  isByProxy(request: Request, socket: Socket): boolean;
  /** Why the request may not open a page under the host name that it uses; `null` when it may. */
  refuseHost(request: Request): Refusal | null;
}

export interface Pages {
  readonly routes: AnyElysia;
  allowed(path: string): readonly string[];
  /** Calls `respond` when it is this request's turn. If too many requests wait, it answers with the reason instead. */
  admit(request: Request, socket: Socket, respond: () => Responded): Responded;
  /**
   * Closes the connections that browsers hold open to learn of changes, because a server that stops must not wait for
   * them.
   */
  stop(): void;
  /** Makes a page that says why a request was refused; `more` are further headers of its response. */
  refused(request: Request, refusal: Refusal, more?: Readonly<Record<string, string>>): Response;
}

export type MakePages = (requestOrigin: RequestOrigin) => Pages;
