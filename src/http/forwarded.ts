// Reads the headers in which proxies tell of their client: `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` (RFC
// 7239). It reads what nginx, Caddy, HAProxy, Apache, Traefik and IIS write: with ports, in brackets or quotes, several
// in a list. The functions are pure.

import ipaddr from "ipaddr.js";

/**
 * Returns what each proxy on the way wrote as the address of its client, "" for none. What the nearest proxy wrote
 * comes last.
 */
export function clientsSaid(headers: Headers): string[] {
  const list = headers.get("x-forwarded-for");
  if (list !== null && list.trim() !== "") return list.split(",").map(unquoted);
  return elementsIn(headers.get("forwarded") ?? "").map((element) => element.get("for") ?? "");
}

/**
 * The protocol (`http` or `https`) over which each proxy says that it was asked; `null` when the nearest proxy names
 * none.
 */
export function protocolsSaid(headers: Headers): string[] | null {
  const list = headers.get("x-forwarded-proto");
  if (list !== null) return list.split(",").map((one) => unquoted(one).toLowerCase());
  const elements = elementsIn(headers.get("forwarded") ?? "");
  if (elements.at(-1)?.get("proto") === undefined) return null;
  return elements.flatMap((element) => element.get("proto")?.toLowerCase() ?? []);
}

/**
 * The IP address in what a proxy wrote, without brackets, port and zone; `null` when there is none, as in `unknown` or
 * `_hidden`.
 */
export function addressInHeader(said: string): string | null {
  const [, inside = said] = /^\[([^\]]*)\](?::\w+)?$/.exec(said) ?? [];
  const [, withoutPort = inside] = /^(\d+\.\d+\.\d+\.\d+):\w+$/.exec(inside) ?? [];
  const address = withoutPort.replace(/%.*$/, "");
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address) ? address : null;
}

/**
 * How many characters a `Forwarded` header may have; a longer one is not read. If its quotes do not end, the time to
 * read it grows with the square of its length.
 */
const FORWARDED_LENGTH = 2_000;

/**
 * Splits a `Forwarded` header into its elements, such as `for=192.0.2.1;proto=https, for="[2001:db8::1]:4711"`. A comma
 * or semicolon inside quotes separates nothing.
 */
function elementsIn(header: string): ReadonlyMap<string, string>[] {
  if (header.trim() === "" || header.length > FORWARDED_LENGTH) return [];
  return (header.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).map(
    (element) =>
      new Map(
        (element.match(/(?:"(?:[^"\\]|\\.)*"|[^;"])+/g) ?? []).map((pair) => {
          const [name = "", ...value] = pair.split("=");
          return [name.trim().toLowerCase(), unquoted(value.join("="))];
        }),
      ),
  );
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  const [, inside = trimmed] = /^"(.*)"$/.exec(trimmed) ?? [];
  return inside.replaceAll(/\\(.)/g, "$1").trim();
}
