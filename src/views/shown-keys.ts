// Shows operators which API keys there are, but never the keys themselves (R2).

import { isRefusal, type Refusal, refuseField } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import type { KeyRow } from "../store/keys.ts";
import type { OldAddressRow } from "../store/old-address-rows.ts";
import { findListed, findOrOffer } from "./find-named.ts";
import type { AddressList, AddressSummary } from "./schemas/address-schemas.ts";
import type { KeySummary, ShownKey } from "./schemas/application-schemas.ts";
import type { LastUses, ViewSource } from "./view-source.ts";

/** How many of the monitors whose last report came with the key are named. */
const MONITORS_NAMED = 20;

export type OneKey = Readonly<{ id: number }>;

/** Lists API keys, sorted by creation. */
export function listKeys(
  context: ViewSource & LastUses,
  { application }: { readonly application: string | null },
  now: Instant,
): { readonly keys: readonly KeySummary[] } | Refusal {
  const owner = application === null ? null : findOrOffer(context, application);
  if (isRefusal(owner)) return owner;
  return { keys: context.store.keys.list(owner?.id ?? null).map((row) => keySummaryOf(context, row, now)) };
}

export function showKey(context: ViewSource & LastUses, { id }: OneKey, now: Instant): ShownKey | Refusal {
  const found = findKey(context, id);
  if (isRefusal(found)) return found;
  const { monitors, count } = context.store.senders.monitorsOfKey(id, MONITORS_NAMED);
  return { ...keySummaryOf(context, found, now), monitors: count, monitorKeys: monitors };
}

export const findKey = ({ store }: Pick<ViewSource, "store">, id: number): KeyRow | Refusal =>
  store.keys.find(id) ?? refuseField("id", `there is no key ${id}; \`rollcall key list\` shows them`, "NOT_FOUND");

export function keySummaryOf({ keyring }: LastUses, row: KeyRow, now: Instant): KeySummary {
  const {
    lastAddress: address,
    lastAgent: agent,
    lastMonitor: monitorKey,
    revokedAt,
    ...key
  } = keyring.withLastUse(row);
  const isOver = revokedAt !== null && revokedAt <= now;
  return {
    ...key,
    lastUse: address === null ? null : { address, agent, monitorKey },
    worksUntil: isOver ? null : revokedAt,
    revokedAt: isOver ? revokedAt : null,
  };
}

// The following shows addresses of other services, but never whole ones (R45).

/** How many addresses a page has. Reading them takes some milliseconds. */
const PAGE = 250;

interface AddressesAsked {
  /** The slug of the application; `null` means the addresses of all applications. */
  readonly application: string | null;
  readonly monitor: string | null;
}

/**
 * Yields the pages of all addresses, sorted by creation. Each page is read when it is asked for; the generator returns
 * the last one.
 */
export function pagesOfAddresses(
  context: ViewSource & LastUses,
  { application, monitor }: AddressesAsked,
): Generator<AddressList, AddressList, void> | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const filter = { applicationId: owner?.id ?? null, monitorKey: monitor };

  function* pages(): Generator<AddressList, AddressList, void> {
    for (let last = 0; ; ) {
      const rows = context.store.oldAddresses.after(last, filter, PAGE);
      const page = { addresses: rows.map((row) => addressSummaryOf(context, row)) };
      if (rows.length < PAGE) return page;
      yield page;
      last = rows.at(-1)!.id;
    }
  }
  return pages();
}

export const findAddress = ({ store }: Pick<ViewSource, "store">, id: number): OldAddressRow | Refusal =>
  store.oldAddresses.find(id) ??
  refuseField("id", `there is no address ${id}; \`rollcall address list\` shows them`, "NOT_FOUND");

export function addressSummaryOf({ keyring }: LastUses, row: OldAddressRow): AddressSummary {
  const { shown, lastAddress: address, lastAgent: agent, ...rest } = keyring.withLastUse(row);
  return { ...rest, address: shown, lastUse: address === null ? null : { address, agent } };
}
