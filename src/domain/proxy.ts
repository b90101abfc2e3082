// Finds the proxy of the environment (HTTPS_PROXY and similar) that the runtime uses for an address, and the words for
// a failure there, which must not be taken for the receiver's failure. It names variables, never their values.

import { connectionFailure } from "./connection-failure.ts";

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/** The variable that names the proxy for this address; `null` when the address is asked directly. */
export function proxyFor(address: string, environment: ProxyEnvironment): string | null {
  const url = URL.parse(address);
  if (url === null) return null;
  const own = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const variables = [own, own.toUpperCase(), "all_proxy", "ALL_PROXY"];
  const variable = variables.find((name) => (environment[name] ?? "") !== "");
  if (variable === undefined) return null;
  const direct = environment["no_proxy"] || environment["NO_PROXY"] || "";
  return direct.split(",").some((entry) => isMeant(entry.trim(), url)) ? null : variable;
}

/**
 * Whether an entry of NO_PROXY fits: `*`, a name and all names below it, an address or a network, each with or without
 * a port.
 */
function isMeant(entry: string, { hostname, port, protocol }: URL): boolean {
  if (entry === "*") return true;
  const [, named = "", onPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (onPort !== undefined && onPort !== (port || (protocol === "https:" ? "443" : "80"))) return false;
  const name = named.replace(/^\*?\./, "").replace(/\.$/, "");
  if (name === "") return false;
  return hostname === name || hostname.endsWith(`.${name}`) || isInNetwork(hostname, name);
}

function isInNetwork(hostname: string, network: string): boolean {
  const [base = "", bits] = network.split("/");
  const [address, first] = [bitsOf(hostname), bitsOf(base)];
  if (bits === undefined || address === null || first === null) return false;
  return address.slice(0, Number(bits)) === first.slice(0, Number(bits));
}

/** The bits of an IPv4 address; `null` when the text is something else. */
const bitsOf = (text: string): string | null =>
  /^\d+\.\d+\.\d+\.\d+$/.test(text)
    ? text
        .split(".")
        .map((part) => Number(part).toString(2).padStart(8, "0"))
        .join("")
    : null;

/** Error codes of failures before a proxy was reached. */
const ON_THE_WAY_TO_IT: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EDNS", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
]);

/**
 * `variable` comes from `proxyFor`; only a status is taken from the runtime's `message`. `null` when the failure is
 * unknown.
 */
function failureByProxy(code: string, message: string, variable: string): string | null {
  const proxy = `the proxy that ${variable} names`;
  if (code === "UnsupportedProxyProtocol") return `${proxy} is none over http, and no other is asked`;
  const [, status] = /\b([1-5]\d\d)\b/.exec(message) ?? [];
  if (code === "ERR_PROXY_TUNNEL") return `${proxy} does not lead there${status ? ` (HTTP ${status})` : ""}`;
  const words = connectionFailure(code);
  if (words === null) return null;
  return ON_THE_WAY_TO_IT.has(code) ? `${words} at ${proxy}` : `${words}, by way of ${proxy}`;
}

/**
 * Why a request did not get through to an address, in rollcall's words. A proxy's failure is named as such. `null` when
 * the runtime's `code` is unknown.
 */
export function failureOnTheWay(
  { code, message }: Readonly<{ code: string; message: string }>,
  address: string,
  environment: ProxyEnvironment,
): string | null {
  const variable = proxyFor(address, environment);
  const byProxy = variable === null ? null : failureByProxy(code, message, variable);
  return byProxy ?? connectionFailure(code);
}

/**
 * Names the proxy that may have given this status over plain HTTP; `null` when the status is the receiver's, as far as
 * one can know.
 */
export function statusOnTheWay(status: number, address: string, environment: ProxyEnvironment): string | null {
  const variable = address.startsWith("http:") ? proxyFor(address, environment) : null;
  return variable === null ? null : answeredByProxy(status, variable);
}

/** Over plain HTTP a proxy's own answer cannot be told from the receiver's, except for a demanded login (407). */
function answeredByProxy(status: number, variable: string): string | null {
  if (status === 407) return `the proxy that ${variable} names wants a login`;
  return [403, 502, 503, 504].includes(status) ? `by way of the proxy that ${variable} names` : null;
}
