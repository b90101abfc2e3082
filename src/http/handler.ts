// What answers requests, as types: a handler a path. The server is given them as a value, and knows nothing of what they do.

/** Answers one request whose transport was already accepted; `client` finds out its address. */
export type Handler = (request: Request, client: () => string) => Response | Promise<Response>;

/** Handlers by the pattern of the raw path, as `Bun.serve` reads patterns: `:name` is a segment, `*` at the end all others. */
export type Routes = Readonly<Record<string, Handler>>;
