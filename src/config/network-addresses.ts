// Reads network addresses of the configuration. Functions named `parse…` return `null` for a text that they refuse.

import ipaddr from "ipaddr.js";
import { asciiMailAddress, isMailAddress } from "../domain/text.ts";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads an address to listen on: `127.0.0.1:8787`, `[::]:8787` or `localhost:8787`. The host is returned without
 * brackets; port 0 is any free port.
 */
export function parseConfiguredListen(text: string): ListenAddress | null {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+|localhost)):(\d{1,5})$/.exec(text);
  if (match === null) return null;
  const [, inBrackets, bare, digits] = match;
  const port = Number(digits);
  if (port > 65_535) return null;
  if (inBrackets !== undefined) return ipaddr.IPv6.isValid(inBrackets) ? { host: inBrackets, port } : null;
  if (bare === undefined) return null;
  return bare === "localhost" || ipaddr.IPv4.isValidFourPartDecimal(bare) ? { host: bare, port } : null;
}

/** Whether a listener at `other` takes the port that `address` needs. Port 0 is any free port, so it is never taken. */
export function isTakenBy(address: ListenAddress, other: ListenAddress): boolean {
  if (address.port !== other.port || address.port === 0) return false;
  const [host, otherHost] = [address, other].map((one) => (one.host === "localhost" ? "127.0.0.1" : one.host));
  return host === otherHost || holdsHost(host!, otherHost!) || holdsHost(otherHost!, host!);
}

/** Whether a listener at `wide` has the port at `host` too: `::` is all addresses, `0.0.0.0` all of IPv4. */
const holdsHost = (wide: string, host: string): boolean =>
  wide === "::" || (wide === "0.0.0.0" && ipaddr.IPv4.isValid(host));

/**
 * Reads a network such as `10.0.0.0/8`, or a single address, and returns it with its prefix length. IPv4 inside IPv6,
 * such as `::ffff:10.0.0.0/104`, becomes IPv4, because addresses of peers have that form too.
 */
export function parseConfiguredNetwork(text: string): string | null {
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

const HOST =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?)*$/;

export const isConfiguredHost = (text: string): boolean => HOST.test(text) || ipaddr.IPv6.isValid(text);

export function isLoopbackHost(host: string): boolean {
  if (host === "localhost") return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}

/** Reads a sender: `rollcall <cron@example.org>`, or only `cron@example.org`. */
export function parseConfiguredMailbox(
  text: string,
): { readonly name: string | null; readonly address: string } | null {
  const alone = asciiMailAddress(text);
  if (isMailAddress(alone)) return { name: null, address: alone };
  const match = /^([^<>"\p{Cc}]{1,100}) <([^<>]+)>$/u.exec(text);
  const [, name = "", written = ""] = match ?? [];
  const address = asciiMailAddress(written);
  return name.trim() !== "" && isMailAddress(address) ? { name: name.trim(), address } : null;
}
