// `rollcall address …`: lists addresses of other services, and says what the other commands did. Never shows an address
// whole.

import { visible } from "../../domain/text.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import { lastUseOf } from "./key-screens.ts";
import type { Screens } from "./presenter.ts";
import { age, headIn, minute, unbroken } from "./spoken.ts";
import { ownerCell } from "./table.ts";

type WrittenAddress = WrittenAnswer<"address revoke">;

export const ADDRESS_SCREENS: Screens = {
  "address add": ({ answer, screen, io }) => {
    const { id, added } = answer;
    const words = `${nameOf(answer, screen)}, address ${id}`;
    io.out(added ? `${words}: jobs may report there once its host name leads here` : `${words}: it was there already`);
  },
  "address list": {
    items: ({ addresses }) => addresses,
    none: ({ application = null, monitor = null }, { typed }) => {
      const key = monitor === null ? "" : ` for a monitor ${visible(monitor)}`;
      const owner = application === null ? "" : ` in application ${visible(application)}`;
      return `there are no addresses of other services${key}${owner}; this adds one: ${unbroken(typed("address add ADDRESS KEY"))}`;
    },
    leavesOutEmpty: true,
    rows: ({ addresses }, screen) =>
      addresses.map((one) => ({
        ID: String(one.id),
        ...ownerCell(screen, one.application),
        ADDRESS: one.address,
        MONITOR: monitorOf(one),
        [headIn(screen, "ADDED")]: minute(one.createdAt, screen),
        "LAST USED": lastUseOf(one, screen),
        ENDS: one.revokedAt === null ? "-" : `revoked ${minute(one.revokedAt, screen)}`,
      })),
  },
  "address revoke": ({ answer, screen, io }) => io.out(`revoked address ${answer.id}, ${nameOf(answer, screen)}`),
};

function monitorOf({ monitorKey, prefix, exists }: WrittenAddress): string {
  if (monitorKey === null) return `creates ${prefix}*`;
  return exists ? monitorKey : `${monitorKey} (gone)`;
}

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
