// Stores addresses of other services, such as those of Healthchecks, at which existing jobs go on reporting (R45). Only
// the hash of an address is stored. Everything here runs inside the caller's transaction.

import { type Refusal, refuseField } from "../domain/errors.ts";
import type { OldAddress } from "../domain/old-address.ts";
import type { Instant } from "../domain/time.ts";
import type { ApplicationRow } from "../store/applications.ts";
import type { OldAddressRow, ReportedAddress } from "../store/old-address-rows.ts";
import type { EngineContext } from "./engine-context.ts";

/**
 * An address of another service that is to be stored, and what it reports: one monitor. An address of the kind
 * `healthchecks-create` has a prefix instead and may create monitors whose keys begin with it.
 */
export interface WantedAddress extends ReportedAddress {
  readonly address: OldAddress;
  readonly owner: Pick<ApplicationRow, "id" | "slug">;
}

/**
 * What happened when an address was to be stored. `there`: it was stored already, for the same monitor, or to
 * create monitors with the same prefix. `revoked`: it was revoked earlier. After `there` and `revoked` nothing was
 * changed.
 */
export type AddressAdded = Readonly<{ id: number; done: "added" | "there" | "revoked" }>;

/**
 * Stores an address; its monitor need not exist yet. Refused when the address works already, but for another
 * application or monitor, or with another prefix for the monitors that it creates. A revoked address stays revoked
 * unless `revives` is true. Must be called in a transaction; after its commit the caller must call `keyring.forget()`.
 */
export function addOldAddress(
  { store }: Pick<EngineContext, "store">,
  { address, owner, monitorKey, prefix }: WantedAddress,
  now: Instant,
  revives: boolean,
): AddressAdded | Refusal {
  const { convention, shown } = address;
  const hash = pathHash(address);
  const made = { applicationId: owner.id, hash, convention, shown, monitorKey, prefix, createdAt: now };
  const id = store.oldAddresses.idOfHash(hash);
  if (id === null) return { id: store.oldAddresses.insert(made), done: "added" };
  const known = store.oldAddresses.find(id);
  if (known !== null && known.revokedAt === null) {
    const isSame = known.application === owner.slug && known.monitorKey === monitorKey && known.prefix === prefix;
    return isSame ? { id, done: "there" } : addressTaken(known);
  }
  // The address of a deleted application is not found (`known` is `null`), so it may be stored again.
  if (known !== null && !revives) return { id, done: "revoked" };
  store.oldAddresses.renew(id, made);
  return { id, done: "added" };
}

const pathHash = ({ path }: OldAddress): Uint8Array => Buffer.from(Bun.SHA256.hash(path, "hex"), "hex");

/** Returns the stored address, even a revoked one; `null` when it is not stored or its application was deleted. */
export function knownAddress({ store }: Pick<EngineContext, "store">, address: OldAddress): OldAddressRow | null {
  const id = store.oldAddresses.idOfHash(pathHash(address));
  return id === null ? null : store.oldAddresses.find(id);
}

export const addressTaken = ({ id, application, monitorKey }: OldAddressRow): Refusal =>
  refuseField(
    "address",
    `it is address ${id} already, which ${
      monitorKey === null ? "creates monitors" : `reports monitor ${JSON.stringify(monitorKey)}`
    } of application "${application}"; revoke that first`,
  );
