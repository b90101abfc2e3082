// `rollcall admin-key …`: lists administrators' keys, and shows a new one once, alone on the first line of stdout.

import { visible } from "../../domain/text.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import type { Presenter } from "./presenter.ts";
import { age, headIn, minute, unbroken } from "./spoken.ts";
import { say } from "./table.ts";

export type WrittenAdminKey = WrittenAnswer<"admin-key list">["keys"][number];

/** A script takes the first line; everything else goes to stderr. */
export const adminKeyCreate: Presenter<"admin-key create"> = {
  kind: "action",
  say: ({ answer: { key, id, scope }, io }) => {
    io.out(key);
    say(io, `administrator's key ${id}, scope ${scope}; it is shown this once, only its hash is kept`);
  },
};

export const adminKeyList: Presenter<"admin-key list"> = {
  kind: "list",
  items: ({ keys }) => keys,
  none: (_asked, { typed }) =>
    `there is no administrator's key, and so no administrator's API; this makes one: ${unbroken(typed("admin-key create"))}`,
  head: (screen) => ["ID", "LABEL", "SCOPE", headIn(screen, "CREATED"), "LAST USED", "ENDS"],
  rows: ({ keys }, screen) =>
    keys.map((key) => [
      String(key.id),
      key.label ?? "-",
      key.scope,
      minute(key.createdAt, screen),
      key.lastUsedAt === null ? "never" : `${minute(key.lastUsedAt, screen)} from ${key.lastAddress}`,
      key.revokedAt === null ? "-" : `revoked ${minute(key.revokedAt, screen)}`,
    ]),
};

export const adminKeyRevoke: Presenter<"admin-key revoke"> = {
  kind: "action",
  say: ({ answer: { id }, io }) => io.out(`revoked administrator's key ${id}`),
};

/** What a person is asked before. */
export function revokeQuestion({ id, label, lastUsedAt, lastAddress }: WrittenAdminKey, screen: Screen): string {
  const name = label === null ? "" : ` "${visible(label)}"`;
  const used =
    lastUsedAt === null
      ? "It was never used."
      : `It was last used ${unbroken(age(lastUsedAt, screen))} from ${lastAddress}.`;
  return `Revoke administrator's key ${id}${name} for good? ${used}`;
}
