// The pages for people, as the server sees them: it lets requests in to them, and does not know which pages there are.

import type { Server } from "bun";
import type { AnyElysia } from "elysia";
import type { Refusal } from "../domain/errors.ts";
import type { Answered } from "./handler.ts";

/** What knows who sent a request. */
export type Socket = Pick<Server<unknown>, "requestIP"> | null;

/** What a page may ask about the other end of its request. */
export interface Entrance {
  /** The client's address. */
  clientOf(request: Request, socket: Socket): string;
  /** Whether it reached us, or a proxy that we believe, over HTTPS. */
  isSecure(request: Request, socket: Socket): boolean;
  /** Whether it came from a proxy whose headers we believe, and through it from another client. */
  isByProxy(request: Request, socket: Socket): boolean;
  /** Why people may not look under the name by which it asks for this host; null: they may. */
  refuseHost(request: Request): Refusal | null;
}

export interface Pages {
  /** Their routes. */
  readonly routes: AnyElysia;
  /** The methods that a path takes; none: there is no such page. */
  allowed(path: string): readonly string[];
  /** Answers a request when its turn has come, or says why it has none. */
  admit(request: Request, socket: Socket, answer: () => Answered): Answered;
  /** Closes what is held open for browsers: a stop must not wait for them. */
  stop(): void;
  /** Why a request was refused, as a page; `more`: headers. */
  refused(request: Request, refusal: Refusal, more?: Readonly<Record<string, string>>): Response;
}

/** Made by the server, which knows its clients. */
export type MakePages = (entrance: Entrance) => Pages;
