// Makes JSON responses, with the headers that every response has. Other files decide what a response says.

import type { Responded } from "./handler.ts";

/** The headers of every response (R8): no cache may keep it, and no key in a path may be passed on as a `Referer`. */
export const EVERY_RESPONSE = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
};

/**
 * Makes `Headers` that many responses use. Making them again for every response would cost half as much as reading a
 * whole ping.
 */
export const jsonHeaders = (more: Readonly<Record<string, string>> = {}): Headers =>
  new Headers({ ...EVERY_RESPONSE, ...more });

/**
 * How many names of a request's header `Connection` are read. It names the few headers that belong to the connection; a
 * longer list would only cost time.
 */
const OPTIONS_MAX = 20;

const asksToClose = (connection: string): boolean =>
  connection.split(",", OPTIONS_MAX).some((option) => option.trim().toLowerCase() === "close");

/**
 * Adds `Connection: close` to the response if the request had it: the server closes the connection afterwards and tells
 * the client so.
 */
export function closedAsAsked(request: Request, response: Responded): Responded {
  const asked = request.headers.get("connection");
  if (asked === null || asked === "keep-alive" || !asksToClose(asked)) return response;
  return changedResponse(response, ({ headers }) => headers.set("connection", "close"));
}

/** Applies `change` to the response: at once, or when its promise resolves. Returns a promise only when given one. */
export function changedResponse(response: Responded, change: (response: Response) => void): Responded {
  if (response instanceof Promise)
    return response.then((response) => {
      change(response);
      return response;
    });
  change(response);
  return response;
}

const OK: ResponseInit = { status: 200, headers: jsonHeaders() };

export const okResponse = (body: object): Response => okText(JSON.stringify(body));

export const okText = (text: string): Response => new Response(text, OK);

export const okStream = (body: ReadableStream<Uint8Array<ArrayBuffer>>): Response => new Response(body, OK);

export const responseOf = (status: number, body: object, headers: Headers): Response =>
  new Response(JSON.stringify(body), { status, headers });
