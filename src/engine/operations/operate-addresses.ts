// What operators do to addresses of other services: add and revoke them (R45). Each runs inside a transaction. Only the
// hash of an address is kept.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { type OldAddress, readOldAddress } from "../../domain/old-address.ts";
import { checkMonitorKey } from "../../domain/settings/monitor-key.ts";
import type { Instant } from "../../domain/time.ts";
import type { ApplicationRow } from "../../store/applications.ts";
import type { OldAddressRow, ReportedAddress } from "../../store/old-addresses.ts";
import { addressSummaryOf, findAddress } from "../../views/addresses.ts";
import type { AddedAddress, AddressSummary } from "../../views/answers/addresses.ts";
import { findApplication, findOwner } from "../../views/find-named.ts";
import type { EngineContext } from "../context.ts";
import { type Operated, type OperationContext, unchanged } from "./operation.ts";

/** An address that is to report this; one of `healthchecks-create` has a prefix and no monitor, every other the reverse. */
export interface WantedAddress extends ReportedAddress {
  readonly address: OldAddress;
  readonly owner: Pick<ApplicationRow, "id" | "slug">;
}

/** `there`: nothing was changed, it reports this already. `revoked`: nothing was changed, somebody has revoked it. */
export interface AddressAdded {
  readonly id: number;
  readonly done: "added" | "there" | "revoked";
}

/**
 * Adds an address, in a transaction that the caller holds; the monitor need not exist yet. Refuses one that works and reports
 * something else. One that was revoked stays so, unless it `returns`. After the commit, `keyring.forget()`.
 */
export function addOldAddress(
  { store }: Pick<EngineContext, "store">,
  { address, owner, monitorKey, prefix }: WantedAddress,
  now: Instant,
  returns: boolean,
): AddressAdded | Refusal {
  const { convention, shown } = address;
  const hash = hashOf(address);
  const made = { applicationId: owner.id, hash, convention, shown, monitorKey, prefix, createdAt: now };
  const id = store.oldAddresses.idOfHash(hash);
  if (id === null) return { id: store.oldAddresses.insert(made), done: "added" };
  const known = store.oldAddresses.find(id);
  if (known !== null && known.revokedAt === null) {
    const isSame = known.application === owner.slug && known.monitorKey === monitorKey && known.prefix === prefix;
    return isSame ? { id, done: "there" } : isTaken(known);
  }
  // Nobody revoked that of an application that is deleted.
  if (known !== null && !returns) return { id, done: "revoked" };
  store.oldAddresses.renew(id, made);
  return { id, done: "added" };
}

const hashOf = ({ path }: OldAddress): Uint8Array => Buffer.from(Bun.SHA256.hash(path, "hex"), "hex");

/** What is known of an address, works it or was it revoked; null: it is free. */
export function knownAddress({ store }: Pick<EngineContext, "store">, address: OldAddress): OldAddressRow | null {
  const id = store.oldAddresses.idOfHash(hashOf(address));
  return id === null ? null : store.oldAddresses.find(id);
}

export const isTaken = ({ id, application, monitorKey }: OldAddressRow): Refusal =>
  refuse(
    "INVALID_REQUEST",
    `address: it is address ${id} already, which ${
      monitorKey === null ? "creates monitors" : `reports monitor ${JSON.stringify(monitorKey)}`
    } of application "${application}"; revoke that first`,
  );

interface AddRequest {
  readonly address: string;
  /** Null: those that it creates. */
  readonly key: string | null;
  readonly application: string | null;
  readonly prefix: string | null;
}

export function addAddress(
  context: OperationContext,
  request: AddRequest,
  now: Instant,
): Operated<AddedAddress | Refusal> {
  const wanted = wantedBy(context, request);
  if (isRefusal(wanted)) return unchanged(wanted);
  const added = addOldAddress(context, wanted, now, true);
  if (isRefusal(added)) return unchanged(added);
  context.keyring.forget();
  return unchanged({ added: added.done === "added", ...summaryNow(context, added.id) });
}

/** Which application and monitor are meant. */
function wantedBy(context: EngineContext, request: AddRequest): WantedAddress | Refusal {
  const address = readOldAddress(request.address);
  if (isRefusal(address)) return isSwapped(request) ? SWAPPED : address;
  if (address.convention === "healthchecks-create") return creating(context, address, request);
  if (request.key === null)
    return refuse("INVALID_REQUEST", `key: it is missing, ${address.shown} reports one monitor`);
  if (request.prefix !== null) return NO_PREFIX;
  const owner = findOwner(context, { application: request.application, key: request.key });
  return isRefusal(owner) ? owner : { address, owner, monitorKey: request.key, prefix: null };
}

/** Repeats neither: one of them is a secret. */
const SWAPPED = refuse(
  "INVALID_REQUEST",
  "address: it comes first, and the key of the monitor behind it; they are swapped",
);

const isSwapped = ({ key }: AddRequest): boolean => key !== null && !isRefusal(readOldAddress(key));

const NO_PREFIX = refuse("INVALID_REQUEST", "prefix: it is for a ping key without a slug, which creates monitors");

function creating(
  context: EngineContext,
  address: OldAddress,
  { key, application, prefix }: AddRequest,
): WantedAddress | Refusal {
  if (key !== null)
    return refuse("INVALID_REQUEST", "key: a ping key alone creates monitors; one monitor has PING-KEY/SLUG");
  const wrong = prefix === null || prefix === "" ? null : checkMonitorKey("prefix", prefix);
  if (wrong !== null) return wrong;
  const owner = findApplication(context, application);
  return isRefusal(owner) ? owner : { address, owner, monitorKey: null, prefix: prefix ?? "" };
}

export function revokeAddress(
  context: OperationContext,
  { id }: { readonly id: number },
  now: Instant,
): Operated<AddressSummary | Refusal> {
  const found = findAddress(context, id);
  if (isRefusal(found)) return unchanged(found);
  context.store.keys.revoke(id, now);
  context.keyring.forget();
  return unchanged(summaryNow(context, id));
}

const summaryNow = (context: OperationContext, id: number): AddressSummary =>
  addressSummaryOf(context, context.store.oldAddresses.find(id)!);
