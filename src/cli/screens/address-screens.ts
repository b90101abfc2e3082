// `rollcall address …`: lists addresses of other services, and says what the other commands did. Never shows an address
// whole.

import { visible } from "../../domain/text.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import type { Presenter } from "./presenter.ts";
import { age, headIn, minute, unbroken } from "./spoken.ts";
import { ownerColumn } from "./table.ts";

type WrittenAddress = WrittenAnswer<"address revoke">;

export const addressAdd: Presenter<"address add"> = {
  kind: "action",
  say: ({ answer, screen, io }) => {
    const { id, added } = answer;
    const words = `${nameOf(answer, screen)}, address ${id}`;
    io.out(added ? `${words}: jobs may report there once its host name leads here` : `${words}: it was there already`);
  },
};

export const addressList: Presenter<"address list"> = {
  kind: "list",
  items: ({ addresses }) => addresses,
  none: ({ application = null, monitor = null }, { typed }) => {
    const key = monitor === null ? "" : ` for a monitor ${visible(monitor)}`;
    const owner = application === null ? "" : ` in application ${visible(application)}`;
    return `there are no addresses of other services${key}${owner}; this adds one: ${unbroken(typed("address add ADDRESS KEY"))}`;
  },
  head: (screen) => [
    "ID",
    ...ownerColumn(screen, "APPLICATION"),
    "ADDRESS",
    "MONITOR",
    headIn(screen, "ADDED"),
    "LAST USED",
    "ENDS",
  ],
  leavesOutEmpty: true,
  rows: ({ addresses }, screen) =>
    addresses.map((one) => [
      String(one.id),
      ...ownerColumn(screen, one.application),
      one.address,
      monitorOf(one),
      minute(one.createdAt, screen),
      lastUseOf(one, screen),
      one.revokedAt === null ? "-" : `revoked ${minute(one.revokedAt, screen)}`,
    ]),
};

function monitorOf({ monitorKey, prefix, exists }: WrittenAddress): string {
  if (monitorKey === null) return `creates ${prefix}*`;
  return exists ? monitorKey : `${monitorKey} (gone)`;
}

function lastUseOf({ lastUsedAt, lastUse }: WrittenAddress, screen: Screen): string {
  if (lastUsedAt === null) return "never";
  return `${minute(lastUsedAt, screen)}${lastUse === null ? "" : ` from ${lastUse.address}`}`;
}

export const addressRevoke: Presenter<"address revoke"> = {
  kind: "action",
  say: ({ answer, screen, io }) => io.out(`revoked address ${answer.id}, ${nameOf(answer, screen)}`),
};

/** What a person is asked before it is revoked. */
export function addressQuestion(one: WrittenAddress, screen: Screen): string {
  const used =
    one.lastUsedAt === null
      ? "It was never used."
      : `It was last used ${unbroken(age(one.lastUsedAt, screen))}${one.lastUse === null ? "" : ` from ${one.lastUse.address}`}.`;
  return `Revoke address ${one.id}, ${nameOf(one, screen)}? ${used} Jobs that still report there are refused.`;
}

/** `/ping/…3f2a for monitor nightly-backup`. */
function nameOf({ address, application, monitorKey, prefix }: WrittenAddress, { onlyApplication }: Screen): string {
  const owner = onlyApplication ? "" : ` of application ${application}`;
  const what = monitorKey === null ? `new monitors ${visible(prefix ?? "")}*` : `monitor ${visible(monitorKey)}`;
  return `${address} for ${what}${owner}`;
}
