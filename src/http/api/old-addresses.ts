// Addresses of other services that jobs still report to (R45), each in its own convention: Healthchecks' `/ping/UUID` and
// `/ping/PING-KEY/SLUG`, and Uptime Kuma's `/api/push/TOKEN`. Asked only about requests that would be refused otherwise.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { addressOfToken, type NamedOldAddress, namedBy, type OldAddress, PUSH } from "../../domain/old-address.ts";
import { checkMonitorKey } from "../../domain/settings/monitor-key.ts";
import type { OldAddressCaller } from "../../engine/keyring.ts";
import type { Engine } from "../../engine/parts.ts";
import { refusalAnswer } from "../errors.ts";
import type { AnswerUnknown, Routes } from "../handler.ts";
import type { NoteFailure } from "./failed-authentication.ts";
import { HEALTHCHECKS, KUMA } from "./old-conventions.ts";
import { NO_SUCH_PATH, readTarget } from "./paths.ts";
import { splitQuery } from "./query.ts";
import { type Place, takeAtOldAddress } from "./take-at-old-address.ts";
import type { Throttle } from "./throttle.ts";

/** What answers at old addresses. `tail`: what stands behind `/ping/` in the raw path, without a query. */
export interface OldAddresses {
  /** Null: it is none that works. */
  answer(request: Request, client: () => string, tail: string): Response | Promise<Response> | null;
  /** Which revoked one this is, for the log; null: none. */
  revoked(tail: string): ReturnType<Engine["revokedKey"]>;
  /** Those of Uptime Kuma. */
  readonly routes: Routes;
  /** Those of Healthchecks where `/ping` is left out, as its hosted service has them. */
  readonly bare: AnswerUnknown;
}

interface OldAddressParts {
  readonly engine: Engine;
  readonly throttle: Throttle;
  /** Called for requests at revoked ones. */
  readonly noteFailure: NoteFailure;
}

export function createOldAddresses({ engine, throttle, noteFailure }: OldAddressParts): OldAddresses {
  function answer(request: Request, client: () => string, tail: string) {
    const named = namedBy(segmentsOf(tail));
    const place = named && placeOf(named, request);
    if (named === null || place === null) return null;
    return isRefusal(place)
      ? refusalAnswer(place)
      : takeAtOldAddress({ engine, throttle, place, convention: HEALTHCHECKS, action: named.action }, request, client);
  }

  /** Null: no address that works. */
  function placeOf({ address, creating }: NamedOldAddress, request: Request): Place | Refusal | null {
    const found = engine.atOldAddress(address.path);
    if (creating === null || isRefusal(found) || !asksToCreate(request)) return placeAt(found, null);
    if (found === null && engine.revokedKey(address.path) !== null) return null;
    const all = engine.atOldAddress(creating.address.path);
    if (found !== null) {
      const isSame = all !== null && !isRefusal(all) && all.caller.applicationId === found.caller.applicationId;
      return placeAt(found, isSame ? address : null);
    }
    if (all === null || isRefusal(all)) return all;
    const monitorKey = (all.prefix ?? "") + creating.slug;
    return checkMonitorKey("slug", monitorKey) ?? { caller: all.caller, monitorKey, creates: address };
  }

  function push(request: Request, client: () => string): Response | Promise<Response> {
    const { path } = readTarget(request.url);
    const [token = "", ...more] = path.startsWith(PUSH) ? segmentsOf(path.slice(PUSH.length)) : [];
    const address = more.length === 0 ? addressOfToken(token) : null;
    const found = address && engine.atOldAddress(address.path);
    const place = placeAt(found, null);
    if (place !== null)
      return isRefusal(place)
        ? refusalAnswer(place)
        : takeAtOldAddress({ engine, throttle, place, convention: KUMA, action: "" }, request, client);
    const revoked = address && engine.revokedKey(address.path);
    if (revoked !== null) noteFailure(client(), revoked);
    return refusalAnswer(NO_SUCH_PATH);
  }

  function revoked(tail: string) {
    const named = namedBy(segmentsOf(tail));
    return named && engine.revokedKey(named.address.path);
  }

  function bare(request: Request, client: () => string) {
    const tail = readTarget(request.url).path.slice(1);
    const answered = answer(request, client, tail);
    const ended = answered === null ? revoked(tail) : null;
    if (ended !== null) noteFailure(client(), ended);
    return answered;
  }

  return {
    answer,
    revoked,
    bare,
    routes: { [`${PUSH}:token`]: push, [`${PUSH}:token/`]: push },
  };
}

function placeAt(found: OldAddressCaller | Refusal | null, creates: OldAddress | null): Place | Refusal | null {
  if (found === null || isRefusal(found)) return found;
  const { caller, monitorKey } = found;
  return monitorKey === null ? null : { caller, monitorKey, creates };
}

const asksToCreate = ({ url }: Request): boolean => splitQuery(readTarget(url).query).get("create") === "1";

/** More than any of them has; a path of thousands must cost no more. */
const SEGMENTS_READ = 5;

function segmentsOf(tail: string): readonly string[] {
  const segments = tail.split("/", SEGMENTS_READ);
  return segments.at(-1) === "" ? segments.slice(0, -1) : segments;
}
