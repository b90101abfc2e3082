// The operations on addresses of other services, such as Healthchecks, at which jobs go on reporting (R45).

import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { checkMonitorKey } from "../../domain/monitor-key.ts";
import { type OldAddress, readOldAddress } from "../../domain/old-address.ts";
import { findApplication, findOwner } from "../../views/find-named.ts";
import { ADDED_ADDRESS, ADDRESSES, type AddressSummary, LISTED_ADDRESS } from "../../views/schemas/address-schemas.ts";
import { addressSummaryOf, findAddress, pagesOfAddresses } from "../../views/shown-keys.ts";
import type { EngineContext } from "../engine-context.ts";
import { addOldAddress, type WantedAddress } from "../keep-old-addresses.ts";
import { aboutAddress, aboutApplication, aboutMonitor, aboutOwner } from "./about.ts";
import { listedApplication, monitorField, optionalText, rowNumber, secretText } from "./fields.ts";
import { type Asked, acts, looks, type OperationContext, withoutAfterCommit } from "./operation.ts";

const ADDED = {
  address: secretText({ description: "the address, as jobs have it", argument: "address" }),
  key: optionalText({ description: "the key of the monitor that it reports", argument: "key" }),
  application: optionalText({
    description: "its application (default: the only one that has such a monitor)",
    option: "app",
    value: "slug",
  }),
  prefix: optionalText({
    description: "with what the keys of the monitors begin that a ping key creates (default: nothing)",
    option: "prefix",
    value: "text",
  }),
};

export const ADDRESS_OPERATIONS = {
  "address add": acts({
    summary: "let jobs report at an address of Healthchecks or Uptime Kuma that they have already",
    notes: `Once the old host name leads here, they report without a change. A URL or the
end of one is taken. Whoever knows an address can report the monitor and do
nothing else; only its hash is kept. With - in place of it, no list of processes
shows it. A ping key without a slug creates monitors, for reports with
?create=1.`,
    examples: [
      "0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f backup",
      "https://kuma.example.org/api/push/Wd4Kq8Zt1x backup",
      "/ping/fqood6f4mmnucenztu01wx --prefix hosts-",
    ],
    input: ADDED,
    answer: ADDED_ADDRESS,
    role: "admin",
    about: (context, { key, application }) =>
      key === null ? aboutOwner(context, application) : aboutMonitor(context, { key, application }),
    inAudit: "added an old address",
    inStory: "Let it be reported at an address that it has from another service",
    run: (context, request, now) => {
      const wanted = wantedBy(context, request);
      if (isRefusal(wanted)) return withoutAfterCommit(wanted);
      const added = addOldAddress(context, wanted, now, true);
      if (isRefusal(added)) return withoutAfterCommit(added);
      context.keyring.forget();
      return withoutAfterCommit({ added: added.done === "added", ...summaryNow(context, added.id) });
    },
  }),
  "address list": looks({
    summary: "list such addresses: number, monitor, last use; never the addresses themselves",
    examples: ["", "--monitor nightly-backup", "--app prod --json"],
    input: { application: listedApplication(), monitor: monitorField() },
    answer: ADDRESSES,
    role: "admin",
    about: (context, { application }) => aboutApplication(context, application),
    run: pagesOfAddresses,
  }),
  "address revoke": acts({
    summary: "revoke such an address; jobs that still report there are refused",
    notes: `\`address list\` says when it was last used, and from where. Who uses it later
stands in the log, as revoked_key_used with its number and the address of the
computer. \`address add\` lets it work again.`,
    examples: ["3", "3 --yes"],
    input: { id: rowNumber({ description: "the address's number, as `address list` shows it", argument: "id" }) },
    answer: LISTED_ADDRESS,
    role: "admin",
    confirm: true,
    about: aboutAddress,
    inAudit: "revoked an old address",
    inStory: "Revoked such an address",
    run: (context, { id }, now) => {
      const found = findAddress(context, id);
      if (isRefusal(found)) return withoutAfterCommit(found);
      context.store.keys.revoke(id, now);
      context.keyring.forget();
      return withoutAfterCommit(summaryNow(context, id));
    },
  }),
};

type AddRequest = Asked<typeof ADDED>;

function wantedBy(context: EngineContext, request: AddRequest): WantedAddress | Refusal {
  const address = readOldAddress(request.address);
  if (isRefusal(address)) return isSwapped(request) ? SWAPPED : address;
  if (address.convention === "healthchecks-create") return creating(context, address, request);
  if (request.key === null) return refuseField("key", `it is missing, ${address.shown} reports one monitor`);
  if (request.prefix !== null) return NO_PREFIX;
  const owner = findOwner(context, { application: request.application, key: request.key });
  return isRefusal(owner) ? owner : { address, owner, monitorKey: request.key, prefix: null };
}

/** The refusal when the address and the key are swapped. It repeats neither, because one of them is a secret. */
const SWAPPED = refuseField("address", "it comes first, and the key of the monitor behind it; they are swapped");

const isSwapped = ({ key }: AddRequest): boolean => key !== null && !isRefusal(readOldAddress(key));

const NO_PREFIX = refuseField("prefix", "it is for a ping key without a slug, which creates monitors");

function creating(
  context: EngineContext,
  address: OldAddress,
  { key, application, prefix }: AddRequest,
): WantedAddress | Refusal {
  if (key !== null) return refuseField("key", "a ping key alone creates monitors; one monitor has PING-KEY/SLUG");
  const wrong = prefix === null || prefix === "" ? null : checkMonitorKey("prefix", prefix);
  if (wrong !== null) return wrong;
  const owner = findApplication(context, application);
  return isRefusal(owner) ? owner : { address, owner, monitorKey: null, prefix: prefix ?? "" };
}

const summaryNow = (context: OperationContext, id: number): AddressSummary =>
  addressSummaryOf(context, context.store.oldAddresses.find(id)!);
