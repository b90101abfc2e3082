// What answers requests, as types: one handler for each path, and the pages for people.

import type { Server } from "bun";
import type { AnyElysia } from "elysia";
import type { Refusal } from "../domain/errors.ts";

/** A promise only where it takes one: Bun closes a connection that sends more before that has settled. */
export type Answered = Response | Promise<Response>;

/** Answers one request whose transport was already accepted; `client` finds out its address. */
export type Handler = (request: Request, client: () => string) => Answered;

export type AnswerUnknown = (request: Request, client: () => string) => Answered | null;

/** By the pattern of the raw path, as `Bun.serve` has it: `:name` is a segment, `*` at the end all others. */
export type Routes = Readonly<Record<string, Handler>>;

/** R5: a path may end in a slash. */
export const withSlash = (path: string, handle: Handler): Routes => ({ [path]: handle, [`${path}/`]: handle });

export type PublicPaths = Readonly<{ routes: Routes; unknown: AnswerUnknown | null }>;

export type Socket = Pick<Server<unknown>, "requestIP"> | null;

export interface Entrance {
  clientOf(request: Request, socket: Socket): string;
  /** Whether it reached us, or a proxy that we believe, over HTTPS. */
  isSecure(request: Request, socket: Socket): boolean;
  /** Whether it came from a proxy whose headers we believe, and through it from another client. */
  isByProxy(request: Request, socket: Socket): boolean;
  /** Why people may not look under the name by which it asks for this host; null: they may. */
  refuseHost(request: Request): Refusal | null;
}

export interface Pages {
  readonly routes: AnyElysia;
  allowed(path: string): readonly string[];
  /** Answers a request when its turn has come, or says why it has none. */
  admit(request: Request, socket: Socket, answer: () => Answered): Answered;
  /** Closes what is held open for browsers: a stop must not wait for them. */
  stop(): void;
  /** Why a request was refused, as a page; `more`: headers. */
  refused(request: Request, refusal: Refusal, more?: Readonly<Record<string, string>>): Response;
}

export type MakePages = (entrance: Entrance) => Pages;
