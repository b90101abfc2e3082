// What operators do to addresses of other services: add and revoke them (R45). Each runs inside a transaction.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { type OldAddress, readOldAddress } from "../../domain/old-address.ts";
import { checkMonitorKey } from "../../domain/settings/monitor-key.ts";
import type { Instant } from "../../domain/time.ts";
import type { AddedAddress, AddressSummary } from "../../views/answers/addresses.ts";
import { findApplication, findOwner } from "../../views/find-named.ts";
import { addressSummaryOf, findAddress } from "../../views/keys.ts";
import type { EngineContext } from "../context.ts";
import { addOldAddress, type WantedAddress } from "../old-addresses.ts";
import { type Operated, type OperationContext, unchanged } from "./operation.ts";

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
