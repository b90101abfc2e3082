// Finds the variable (HTTPS_PROXY and similar) whose proxy the runtime uses for an address. Also says in words that a
// failure is the proxy's, so that people do not blame the receiver. Only the variable's name is told, never its value.

import { connectionFailure } from "./connection-failure.ts";

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/** The variable that names the proxy for this address; `null` when no proxy is used for it. */
export function proxyVariableFor(address: string, environment: ProxyEnvironment): string | null {
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
 * Whether an entry of NO_PROXY fits the URL. An entry is `*`, a name (which includes all names below it), an IPv4
 * address or a network such as `10.0.0.0/8`. All but `*` may have a port.
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

/** Error codes that mean: the proxy itself was not reached. */
const ON_THE_WAY_TO_IT: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EDNS", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
]);

/**
 * The words for a failure by way of the proxy; `null` for an unknown `code`. Of `message` only an HTTP status is used.
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

/** Says why a request failed, and names the proxy when one is used; `null` when the runtime's `code` is unknown. */
export function requestFailureInWords(
  { code, message }: Readonly<{ code: string; message: string }>,
  address: string,
  environment: ProxyEnvironment,
): string | null {
  const variable = proxyVariableFor(address, environment);
  const byProxy = variable === null ? null : failureByProxy(code, message, variable);
  return byProxy ?? connectionFailure(code);
}

/**
 * Says that the proxy may have sent this status instead of the receiver. `null` over HTTPS, without a proxy, and for
 * other statuses.
 */
export function proxyStatusInWords(status: number, address: string, environment: ProxyEnvironment): string | null {
  const variable = address.startsWith("http:") ? proxyVariableFor(address, environment) : null;
  return variable === null ? null : answeredByProxy(status, variable);
}

/**
 * Says that the proxy sent this status, or may have sent it; `null` for all other statuses. Over plain HTTP a proxy can
 * answer in the receiver's place. Status 407 (login required) surely comes from the proxy; four others may come from
 * either.
 */
function answeredByProxy(status: number, variable: string): string | null {
  if (status === 407) return `the proxy that ${variable} names wants a login`;
  return [403, 502, 503, 504].includes(status) ? `by way of the proxy that ${variable} names` : null;
}
