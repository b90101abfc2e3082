// The zone in which a viewer reads times: their browser says it in a cookie, and until it has, it is the server's.

import { spellTimezone } from "../domain/schedule/zone.ts";

const COOKIE = /(?:^|;\s*)rollcall-zone=([\w%-]{1,100})/;

/** A name that is no zone stands for `otherwise`. */
export function zoneOf({ headers }: Pick<Request, "headers">, otherwise: string): string {
  const said = COOKIE.exec(headers.get("cookie") ?? "")?.[1];
  return said === undefined
    ? otherwise
    : (spellTimezone(said.replaceAll(/%2F/gi, "/").replaceAll(/%2B/gi, "+")) ?? otherwise);
}
