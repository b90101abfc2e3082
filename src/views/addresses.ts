// What operators see of addresses of other services: never the addresses themselves (R45). Changes nothing.

import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import type { OldAddressFilter, OldAddressRow } from "../store/old-addresses.ts";
import type { AddressList, AddressSummary } from "./answers/addresses.ts";
import type { LastUses, ViewSource } from "./context.ts";
import { type About, findListed } from "./find-named.ts";

/** Addresses of a page: some milliseconds of work. */
const PAGE = 250;

interface AddressesAsked {
  /** Null: of all. */
  readonly application: string | null;
  readonly monitor: string | null;
}

/** All of them, in the order of creation, each page read when it is asked for; the last one is returned. */
export function pagesOfAddresses(
  context: ViewSource & LastUses,
  { application, monitor }: AddressesAsked,
): Generator<AddressList, AddressList, void> | Refusal {
  const owner = findListed(context, application);
  return isRefusal(owner) ? owner : pagesFrom(context, { applicationId: owner?.id ?? null, monitorKey: monitor });
}

function* pagesFrom(
  context: ViewSource & LastUses,
  filter: OldAddressFilter,
): Generator<AddressList, AddressList, void> {
  for (let last = 0; ; ) {
    const rows = context.store.oldAddresses.after(last, filter, PAGE);
    const page = { addresses: rows.map((row) => addressSummaryOf(context, row)) };
    if (rows.length < PAGE) return page;
    yield page;
    last = rows.at(-1)!.id;
  }
}

export const findAddress = ({ store }: Pick<ViewSource, "store">, id: number): OldAddressRow | Refusal =>
  store.oldAddresses.find(id) ??
  refuse("NOT_FOUND", `id: there is no address ${id}; \`rollcall address list\` shows them`);

export function aboutAddress({ store }: Pick<ViewSource, "store">, { id }: { readonly id: number }): About | null {
  const found = store.oldAddresses.find(id);
  return found === null ? null : { application: found.application, monitorKey: found.monitorKey };
}

export function addressSummaryOf({ keyring }: LastUses, row: OldAddressRow): AddressSummary {
  const { shown, lastAddress: address, lastAgent: agent, ...rest } = keyring.withLastUse(row);
  return { ...rest, address: shown, lastUse: address === null ? null : { address, agent } };
}
