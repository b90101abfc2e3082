// Reads network addresses as the configuration writes them. Every reader returns `null` for a text that it refuses.

import ipaddr from "ipaddr.js";
import { asciiMailAddress, isMailAddress } from "../domain/text.ts";

/**
 * Takes `127.0.0.1:8787`, `[::]:8787` or `localhost:8787`, and returns the host without brackets. Port 0 means any free
 * port.
 */
export function parseListen(text: string): { readonly host: string; readonly port: number } | null {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+|localhost)):(\d{1,5})$/.exec(text);
  if (match === null) return null;
  const [, inBrackets, bare, digits] = match;
  const port = Number(digits);
  if (port > 65_535) return null;
  if (inBrackets !== undefined) return ipaddr.IPv6.isValid(inBrackets) ? { host: inBrackets, port } : null;
  if (bare === undefined) return null;
  return bare === "localhost" || ipaddr.IPv4.isValidFourPartDecimal(bare) ? { host: bare, port } : null;
}

/**
 * Takes a network as CIDR. An IPv4 network that is written inside IPv6 becomes IPv4, because peers are compared in that
 * form.
 */
export function parseNetwork(text: string): string | null {
  const [address = "", bits, ...rest] = text.split("/");
  if (rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null;
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return null;
  if (address.includes("%")) return null;
  const parsed = ipaddr.parse(address);
  const width = parsed.kind() === "ipv4" ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (prefix > width) return null;
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && prefix >= 96) {
    return `${parsed.toIPv4Address().toString()}/${prefix - 96}`;
  }
  return `${parsed.toString()}/${prefix}`;
}

/**
 * The problem with an address: only http and https are allowed, and no credentials, which would end up in logs and in
 * the `Referer` lines of others (R40).
 */
export function urlProblem(text: string): string | null {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return "is not an http(s) URL";
  const url = new URL(text);
  return url.username === "" && url.password === "" ? null : "holds a user name or password";
}

const HOST =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?)*$/;

export const isHost = (text: string): boolean => HOST.test(text) || ipaddr.IPv6.isValid(text);

export function isLoopbackHost(host: string): boolean {
  if (host === "localhost") return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}

/** Takes `rollcall <cron@example.org>`, or without a name `cron@example.org`. */
export function parseMailbox(text: string): { readonly name: string | null; readonly address: string } | null {
  const alone = asciiMailAddress(text);
  if (isMailAddress(alone)) return { name: null, address: alone };
  const match = /^([^<>"\p{Cc}]{1,100}) <([^<>]+)>$/u.exec(text);
  const [, name = "", written = ""] = match ?? [];
  const address = asciiMailAddress(written);
  return name.trim() !== "" && isMailAddress(address) ? { name: name.trim(), address } : null;
}
