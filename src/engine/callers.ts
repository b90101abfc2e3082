// Whose a secret is, found by its SHA-256 and remembered by it: what API keys and addresses of other services have in
// common. Nothing here keeps a plain one.

import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import type { KeyOwner } from "../store/keys.ts";
import type { Caller, Clock, RevokedKey } from "./api.ts";

/** More live ones than an installation has; beyond this we look the oldest up again. */
const KEPT = 10_000;

/** A secret that works. `caller`: 403 where its application is suspended. */
export interface Known<Owner extends KeyOwner> {
  readonly owner: Owner;
  readonly caller: Caller | Refusal;
  /** When it ends, while another replaces it. */
  readonly until: Instant;
}

export interface Callers<Owner extends KeyOwner> {
  /** Null: it is none that works. Notes that it was used. */
  of(secret: string): Known<Owner> | null;
  /** Which revoked one this is; null: none. */
  revoked(secret: string): RevokedKey | null;
  forget(): void;
}

interface CallersParts<Owner> {
  /** Finds revoked ones too. */
  readonly find: (hash: Buffer) => Owner | null;
  readonly clock: Clock;
  /** When each was last used, by the number of its key; written to. */
  readonly uses: Map<number, Instant>;
}

export function createCallers<Owner extends KeyOwner>({ find, clock, uses }: CallersParts<Owner>): Callers<Owner> {
  const callers = new Map<string, Known<Owner>>();

  function of(secret: string): Known<Owner> | null {
    const hash = hashOf(secret);
    const now = clock.now();
    const known = callers.get(hash) ?? lookUp(hash, now);
    if (known === null || known.until <= now) return null;
    if (!isRefusal(known.caller)) uses.set(known.owner.keyId, now);
    return known;
  }

  function lookUp(hash: string, now: Instant): Known<Owner> | null {
    const owner = find(Buffer.from(hash, "hex"));
    if (owner === null || isOver(owner, now)) return null;
    const { keyId, scope, applicationId, application } = owner;
    const known: Known<Owner> = {
      owner,
      caller: owner.suspendedAt === null ? { keyId, scope, applicationId, application } : suspended(application),
      until: owner.revokedAt ?? Number.POSITIVE_INFINITY,
    };
    if (callers.size >= KEPT) callers.delete(callers.keys().next().value!);
    callers.set(hash, known);
    return known;
  }

  function revoked(secret: string): RevokedKey | null {
    const owner = find(Buffer.from(hashOf(secret), "hex"));
    if (owner === null || !isOver(owner, clock.now())) return null;
    const { keyId, scope, applicationId, application, suspendedAt } = owner;
    return { keyId, scope, applicationId, application, suspended: suspendedAt !== null };
  }

  return { of, revoked, forget: () => callers.clear() };
}

const hashOf = (secret: string): string => Bun.SHA256.hash(secret, "hex");

const isOver = ({ revokedAt }: KeyOwner, now: Instant): boolean => revokedAt !== null && revokedAt <= now;

const suspended = (application: string): Refusal =>
  refuse(
    "ACCESS_DENIED",
    `application "${application}" is suspended: its reports are refused until an operator resumes it`,
  );
