// Addresses of other services, added in a transaction that the caller holds (R45). Only the hash of an address is kept.

import { type Refusal, refuseField } from "../domain/errors.ts";
import type { OldAddress } from "../domain/old-address.ts";
import type { Instant } from "../domain/time.ts";
import type { ApplicationRow } from "../store/applications.ts";
import type { OldAddressRow, ReportedAddress } from "../store/old-addresses.ts";
import type { EngineContext } from "./engine-context.ts";

/** An address that is to report this: one of `healthchecks-create` has a prefix, every other a monitor. */
export interface WantedAddress extends ReportedAddress {
  readonly address: OldAddress;
  readonly owner: Pick<ApplicationRow, "id" | "slug">;
}

/** `there`: nothing was changed, it reports this already. `revoked`: nothing was changed, it was revoked. */
export type AddressAdded = Readonly<{ id: number; done: "added" | "there" | "revoked" }>;

/**
 * Adds an address, in a transaction that the caller holds; the monitor need not exist yet. Refuses one that works and
 * reports something else. One that was revoked stays so, unless it `returns`. After the commit, `keyring.forget()`.
 */
export function addOldAddress(
  { store }: Pick<EngineContext, "store">,
  { address, owner, monitorKey, prefix }: WantedAddress,
  now: Instant,
  returns: boolean,
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
  // The address of a deleted application was never revoked.
  if (known !== null && !returns) return { id, done: "revoked" };
  store.oldAddresses.renew(id, made);
  return { id, done: "added" };
}

const pathHash = ({ path }: OldAddress): Uint8Array => Buffer.from(Bun.SHA256.hash(path, "hex"), "hex");

/** What is known of an address, works it or was it revoked; null: it is free. */
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
