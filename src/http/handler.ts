// What answers requests, as types: one handler for each path. The server gets them as a value, and does not know what
// they do.

/** A promise only where it takes one: Bun closes a connection that sends more before that has settled. */
export type Answered = Response | Promise<Response>;

/** Answers one request whose transport was already accepted; `client` finds out its address. */
export type Handler = (request: Request, client: () => string) => Answered;

/** Answers a request that no route takes; null: it is unknown. */
export type AnswerUnknown = (request: Request, client: () => string) => Answered | null;

/**
 * Handlers by the pattern of the raw path, as `Bun.serve` reads patterns: `:name` is a segment, `*` at the end all
 * others.
 */
export type Routes = Readonly<Record<string, Handler>>;

/** R5: a path may end in a slash. */
export const withSlash = (path: string, handle: Handler): Routes => ({ [path]: handle, [`${path}/`]: handle });

/** What a server answers beside its pages: routes, and what it asks before a path is unknown. */
export interface PublicPaths {
  readonly routes: Routes;
  /** Null: nothing more. */
  readonly unknown: AnswerUnknown | null;
}
