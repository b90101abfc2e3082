// `rollcall key …` and `rollcall admin-key …`: lists keys, shows what uses one, and says what the other commands
// did. Shows a new key once, alone on the first line of stdout, and nowhere else.

import { visible } from "../../domain/text.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import type { Presenter } from "./presenter.ts";
import { age, headIn, minute, moment, shortText, shown, time, unbroken } from "./spoken.ts";
import { formatFacts, ownerColumn, say } from "./table.ts";

type WrittenKey = WrittenAnswer<"key list">["keys"][number];

/** A script takes the first line; everything else goes to stderr. */
export const keyCreate: Presenter<"key create"> = {
  kind: "action",
  say: ({ answer: { key, id, application, scope }, screen, io }) => {
    io.out(key);
    say(io, `key ${id}${ownerOf(application, screen)}, scope ${scope}; it is shown this once, only its hash is kept`);
  },
};

/** Never the keys themselves (R2). */
export const keyList: Presenter<"key list"> = {
  kind: "list",
  items: ({ keys }) => keys,
  none: ({ application }, { typed }) =>
    `there are no keys yet; this makes one: ${unbroken(typed(`key create ${application ?? "APP"}`))}`,
  head: (screen) => [
    "ID",
    ...ownerColumn(screen, "APPLICATION"),
    "LABEL",
    "SCOPE",
    headIn(screen, "CREATED"),
    "LAST USED",
    "ENDS",
  ],
  rows: ({ keys }, screen) =>
    keys.map((key) => [
      String(key.id),
      ...ownerColumn(screen, key.application),
      key.label ?? "-",
      key.scope,
      minute(key.createdAt, screen),
      lastUseOf(key, screen),
      endOf(key, screen),
    ]),
};

function lastUseOf({ lastUsedAt, lastUse }: WrittenKey, screen: Screen): string {
  if (lastUsedAt === null) return "never";
  return `${minute(lastUsedAt, screen)}${lastUse === null ? "" : ` from ${lastUse.address}`}`;
}

function endOf({ revokedAt, worksUntil }: WrittenKey, screen: Screen): string {
  if (revokedAt !== null) return `revoked ${minute(revokedAt, screen)}`;
  return minute(worksUntil, screen);
}

export const keyShow: Presenter<"key show"> = {
  kind: "thing",
  lines: (key, screen) => formatFacts(factsOf(key, screen), screen),
};

const factsOf = (key: WrittenAnswer<"key show">, screen: Screen): [name: string, text: string][] =>
  [
    ["key", String(key.id)],
    ["application", key.application],
    ["label", key.label ?? "none"],
    ["scope", key.scope],
    ["created", `${time(key.createdAt, screen)}; all times here are in ${screen.timezone}`],
    ["last used", key.lastUsedAt === null ? "never" : time(key.lastUsedAt, screen)],
    ...lastUseFacts(key),
    ...(key.worksUntil === null
      ? []
      : [["works until", `${time(key.worksUntil, screen)}, another replaces it`] as const]),
    ...(key.revokedAt === null ? [] : [["revoked", time(key.revokedAt, screen)] as const]),
    ["monitors", monitorsInWords(key) ?? "none reported with it last"],
  ].map(([name = "", text = ""]) => [name, text]);

function lastUseFacts({ lastUse }: WrittenKey): [name: string, text: string][] {
  if (lastUse === null) return [];
  const { address, agent, monitorKey } = lastUse;
  return [
    ["from", address],
    ...(agent === null ? [] : [["by", shortText(agent, AGENT_SHOWN)] satisfies [string, string]]),
    ...(monitorKey === null ? [] : [["for", monitorKey] satisfies [string, string]]),
  ];
}

const AGENT_SHOWN = 100;

/** The monitors that it last reported; null: none. */
function monitorsInWords({ monitors, monitorKeys }: WrittenAnswer<"key show">): string | null {
  if (monitors === 0) return null;
  const more = monitors - monitorKeys.length;
  return `${counted(monitors, "monitor")}: ${monitorKeys.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Who would notice that a key is gone. */
export function usedInWords(key: WrittenAnswer<"key show">, screen: Screen): string {
  if (key.lastUsedAt === null) return "It was never used.";
  const { lastUse } = key;
  const from = lastUse === null ? "" : ` from ${lastUse.address}`;
  const last = `It was last used ${unbroken(age(key.lastUsedAt, screen))}${from}.`;
  const monitors = monitorsInWords(key);
  return monitors === null ? last : `${last} It last reported ${visible(monitors)}.`;
}

export const keyLabel: Presenter<"key label"> = {
  kind: "action",
  say: ({ answer: { id, label, application }, screen, io }) => {
    const name = `key ${id}${ownerOf(application, screen)}`;
    io.out(label === null ? `${name} has no label` : `${name} is labelled ${visible(label)}`);
  },
};

export const keyRotate: Presenter<"key rotate"> = {
  kind: "action",
  say: ({ answer: { key, id, application, scope, replaces }, screen, io }) => {
    io.out(key);
    const owner = ownerOf(application, screen);
    say(io, `key ${id}${owner}, scope ${scope}; it is shown this once, only its hash is kept`);
    const { id: old, worksUntil } = replaces;
    say(
      io,
      worksUntil === null
        ? `key ${old} works no more`
        : `key ${old} still works until ${shown(moment(worksUntil, screen))}; ${unbroken(screen.typed(`key show ${old}`))} says which monitors still use it`,
    );
  },
};

export const keyRevoke: Presenter<"key revoke"> = {
  kind: "action",
  say: ({ answer: { id, application }, screen, io }) => io.out(`revoked key ${id}${ownerOf(application, screen)}`),
};

const ownerOf = (application: string, { onlyApplication }: Screen): string =>
  onlyApplication ? "" : ` of application ${application}`;

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
