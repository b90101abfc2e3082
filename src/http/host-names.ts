// Which host a request may ask for where people look. A page of any site can have its name lead to this machine (DNS
// rebinding): its requests come from a browser here, under that site's name, and may carry any header. Reports have a key
// instead, and are never asked.

import { type Refusal, refuse } from "../domain/errors.ts";

/** No site of others can be under these: none of them is ever looked up outside, or their owner is this network. */
const PRIVATE = /^(?:[^.]+|.+\.(?:localhost|local|lan|internal|home\.arpa))$/;
/** As URLs spell addresses, however they were written. */
const ADDRESS = /^(?:\[[0-9a-f:.]+\]|\d+\.\d+\.\d+\.\d+)$/;

const NO_HOST = refuse("INVALID_REQUEST", "host: it is missing or no host, a browser sends the one in its address bar");

/** The name alone, as URLs spell it; null: it is none. */
function hostIn(host: string): string | null {
  const url = URL.parse(`http://${host}`);
  return url === null || url.username !== "" || url.pathname !== "/" ? null : url.hostname.replace(/\.$/, "");
}

/** `own`: names of ours beside those that no site of others can have. The answer says why a request is refused; null: it is not. */
export function createHostCheck(own: readonly string[]): (request: Pick<Request, "headers" | "url">) => Refusal | null {
  const names = new Set(own.map((name) => hostIn(name.includes(":") ? `[${name}]` : name)));
  return ({ headers, url }) => {
    // A page knows its own address by it.
    if (!URL.canParse(url)) return NO_HOST;
    const host = hostIn(headers.get("host") ?? new URL(url).host);
    if (host === null) return NO_HOST;
    if (ADDRESS.test(host) || PRIVATE.test(host) || names.has(host)) return null;
    return refuse(
      "INVALID_REQUEST",
      `host: ${JSON.stringify(host.slice(0, 253))} is no name of this rollcall; if it is one, add it to server.host_names`,
    );
  };
}
