// JSON responses and the headers that all of them carry, built once. This file must not know what a response says.

import type { Responded } from "./handler.ts";

/** The headers of every response (R8): no cache may keep it, and no key in a path may be passed on as a `Referer`. */
export const EVERY_RESPONSE = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
};

/** Returns ready `Headers`: making them from a record for every response costs half as much as reading a whole ping. */
export const jsonHeaders = (more: Readonly<Record<string, string>> = {}): Headers =>
  new Headers({ ...EVERY_RESPONSE, ...more });

/**
 * How many names in `Connection` are read. It names the few headers that belong to the connection; a longer list would
 * only cost time.
 */
const OPTIONS_MAX = 20;

const asksToClose = (connection: string): boolean =>
  connection.split(",", OPTIONS_MAX).some((option) => option.trim().toLowerCase() === "close");

/** Adds `Connection: close` if the request asked for it: the server closes the connection, and says so first. */
export function closedAsAsked(request: Request, response: Responded): Responded {
  const asked = request.headers.get("connection");
  if (asked === null || asked === "keep-alive" || !asksToClose(asked)) return response;
  return changedResponse(response, ({ headers }) => headers.set("connection", "close"));
}

/** Changes a response; a response that is no promise stays none. */
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
