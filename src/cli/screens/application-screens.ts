// `rollcall app …`, `key …`, `admin-key …` and `address …`: applications and what their jobs report with.

import { visible } from "../../domain/text.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import type { Io } from "../io.ts";
import type { Screens } from "./presenter.ts";
import { age, headIn, minute, moment, shortText, shown, time, unbroken } from "./spoken.ts";
import { type FactLine, factIf, formatFacts, ownerCell, say } from "./table.ts";

export const APPLICATION_SCREENS: Screens = {
  "app create": ({ answer: { slug }, screen, io }) => {
    io.out(`created application ${slug}`);
    say(io, `next: ${unbroken(screen.typed(`key create ${slug}`))}`);
  },
  "app list": {
    items: ({ applications }) => applications,
    none: () => "there are no applications",
    rows: ({ applications }, screen) =>
      applications.map(({ slug, name, monitors, createdAt, suspendedAt }) => ({
        APPLICATION: slug,
        NAME: name ?? "-",
        MONITORS: String(monitors),
        [headIn(screen, "CREATED")]: minute(createdAt, screen),
        SUSPENDED: minute(suspendedAt, screen),
      })),
  },
  "app suspend": ({ answer: { changed, application }, screen, io }) => {
    const { slug, suspendedAt, monitors } = application;
    if (!changed) return io.out(shown(`${slug} is suspended already, since ${moment(suspendedAt!, screen)}`));
    io.out(`suspended ${slug}`);
    say(
      io,
      `its reports are refused, and ${monitors === 1 ? "its monitor is" : `its ${monitors} monitors are`} paused: nothing is missed or told`,
    );
    say(io, `this ends it: ${unbroken(screen.typed(`app resume ${slug}`))}`);
  },
  "app resume": ({ answer: { changed, application }, io }) => {
    io.out(changed ? `resumed ${application.slug}` : `${application.slug} is not suspended`);
    if (changed) say(io, "each of its monitors expects its next scheduled report");
  },
  "app rename": ({ answer: { changed, application }, asked: { name = null }, io }) => {
    const { slug, name: inForce } = application;
    const named = inForce === null ? "known by its slug" : `called ${inForce}`;
    io.out(changed ? `application ${slug} is ${named} now` : `application ${slug} is ${named} already`);
    if (inForce !== name) say(io, "the configuration names it, and that wins");
  },
  "app delete": ({ answer: { slug, monitors, keys, historyUntil }, screen, io }) => {
    io.out(`deleted application ${slug}, with ${counted(monitors, "monitor")} and ${counted(keys, "key")}`);
    say(io, `the history of its monitors goes after 7 days, at ${moment(historyUntil, screen)}`);
  },
};

/** The page on this server, where rollcall does not know how others reach it. */
const pageAt = ({ path, address }: { readonly path: string; readonly address: string | null }): string =>
  address ?? path;

export const STATUS_PAGE_SCREENS: Screens = {
  "status-page add": ({ answer, screen, io }) => {
    io.out(pageAt(answer));
    say(
      io,
      `everybody who knows this address sees the jobs of ${answer.application}; its badges: ${answer.path}/badges`,
    );
    if (answer.replaced) say(io, "the address that it had before leads nowhere now");
    if (answer.address === null) say(io, "set server.public_url, and it stands here as others reach it");
    say(io, `this ends it: ${unbroken(screen.typed(`status-page remove ${answer.application}`))}`);
  },
  "status-page list": {
    items: ({ pages }) => pages,
    none: (_asked, { typed }) => `there are no status pages; this adds one: ${unbroken(typed("status-page add APP"))}`,
    rows: ({ pages }) =>
      pages.map((page) => ({
        APPLICATION: page.application,
        ADDRESS: pageAt(page),
        JOBS: page.jobs.join(", "),
        MESSAGES: page.messages ? "shown" : "-",
        "SET BY": page.from ?? "-",
      })),
  },
  "status-page remove": ({ answer: { application }, io }) => io.out(`removed the status page of ${application}`),
};

// Shows a new key once, alone on the first line of stdout, and nowhere else.

type AnsweredKey = Answer<"key list">["keys"][number];

export const KEY_SCREENS: Screens = {
  "key create": ({ answer, screen, io }) =>
    sayNew(`key ${answer.id}${ownerOf(answer.application, screen)}`, answer, io),
  "key list": {
    items: ({ keys }) => keys,
    none: ({ application }, { typed }) =>
      `there are no keys yet; this makes one: ${unbroken(typed(`key create ${application ?? "APP"}`))}`,
    rows: ({ keys }, screen) =>
      keys.map((key) => ({
        ID: String(key.id),
        ...ownerCell(screen, key.application),
        LABEL: key.label ?? "-",
        SCOPE: key.scope,
        [headIn(screen, "CREATED")]: minute(key.createdAt, screen),
        "LAST USED": lastUseOf(key, screen),
        ENDS: endOf(key, screen),
      })),
  },
  "key show": {
    lines: (key, screen) => formatFacts(factsOf(key, screen), screen),
  },
  "key label": ({ answer: { id, label, application }, screen, io }) => {
    const name = `key ${id}${ownerOf(application, screen)}`;
    io.out(label === null ? `${name} has no label` : `${name} is labelled ${visible(label)}`);
  },
  "key rotate": ({ answer: { key, id, application, scope, replaces }, screen, io }) => {
    sayNew(`key ${id}${ownerOf(application, screen)}`, { key, scope }, io);
    const { id: old, worksUntil } = replaces;
    say(
      io,
      worksUntil === null
        ? `key ${old} works no more`
        : `key ${old} still works until ${shown(moment(worksUntil, screen))}; ${unbroken(screen.typed(`key show ${old}`))} says which monitors still use it`,
    );
  },
  "key revoke": ({ answer: { id, application }, screen, io }) =>
    io.out(`revoked key ${id}${ownerOf(application, screen)}`),
  "admin-key create": ({ answer, io }) => sayNew(`administrator's key ${answer.id}`, answer, io),
  "admin-key list": {
    items: ({ keys }) => keys,
    none: (_asked, { typed }) =>
      `there is no administrator's key, and so no administrator's API; this makes one: ${unbroken(typed("admin-key create"))}`,
    rows: ({ keys }, screen) =>
      keys.map((key) => ({
        ID: String(key.id),
        LABEL: key.label ?? "-",
        SCOPE: key.scope,
        [headIn(screen, "CREATED")]: minute(key.createdAt, screen),
        "LAST USED": key.lastUsedAt === null ? "never" : `${minute(key.lastUsedAt, screen)} from ${key.lastAddress}`,
        ENDS: key.revokedAt === null ? "-" : `revoked ${minute(key.revokedAt, screen)}`,
      })),
  },
  "admin-key revoke": ({ answer: { id }, io }) => io.out(`revoked administrator's key ${id}`),
};

function sayNew(name: string, { key, scope }: { readonly key: string; readonly scope: string }, io: Io): void {
  io.out(key);
  say(io, `${name}, scope ${scope}; it is shown this once, only its hash is kept`);
}

function lastUseOf(
  { lastUsedAt, lastUse }: Pick<AnsweredKey, "lastUsedAt"> & { readonly lastUse: { readonly address: string } | null },
  screen: Screen,
): string {
  if (lastUsedAt === null) return "never";
  return `${minute(lastUsedAt, screen)}${lastUse === null ? "" : ` from ${lastUse.address}`}`;
}

const endOf = ({ revokedAt, worksUntil }: AnsweredKey, screen: Screen): string =>
  revokedAt === null ? minute(worksUntil, screen) : `revoked ${minute(revokedAt, screen)}`;

function factsOf(key: Answer<"key show">, screen: Screen): FactLine[] {
  const { lastUse } = key;
  return [
    ["key", String(key.id)],
    ["application", key.application],
    ["label", key.label ?? "none"],
    ["scope", key.scope],
    ["created", `${time(key.createdAt, screen)}; all times here are in ${screen.timezone}`],
    ["last used", key.lastUsedAt === null ? "never" : time(key.lastUsedAt, screen)],
    ...factIf("from", lastUse?.address),
    ...factIf("by", lastUse?.agent && shortText(lastUse.agent, AGENT_SHOWN)),
    ...factIf("for", lastUse?.monitorKey),
    ...factIf("works until", key.worksUntil === null ? null : `${time(key.worksUntil, screen)}, another replaces it`),
    ...factIf("revoked", key.revokedAt === null ? null : time(key.revokedAt, screen)),
    ["monitors", monitorsInWords(key) ?? "none reported with it last"],
  ];
}

const AGENT_SHOWN = 100;

function monitorsInWords({ monitors, monitorKeys }: Answer<"key show">): string | null {
  if (monitors === 0) return null;
  const more = monitors - monitorKeys.length;
  return `${counted(monitors, "monitor")}: ${monitorKeys.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export function usedInWords(key: Answer<"key show">, screen: Screen): string {
  if (key.lastUsedAt === null) return "It was never used.";
  const { lastUse } = key;
  const from = lastUse === null ? "" : ` from ${lastUse.address}`;
  const last = `It was last used ${unbroken(age(key.lastUsedAt, screen))}${from}.`;
  const monitors = monitorsInWords(key);
  return monitors === null ? last : `${last} It last reported ${visible(monitors)}.`;
}

const ownerOf = (application: string, { onlyApplication }: Screen): string =>
  onlyApplication ? "" : ` of application ${application}`;

export function revokeQuestion(
  { id, label, lastUsedAt, lastAddress }: Answer<"admin-key list">["keys"][number],
  screen: Screen,
): string {
  const name = label === null ? "" : ` "${visible(label)}"`;
  const used =
    lastUsedAt === null
      ? "It was never used."
      : `It was last used ${unbroken(age(lastUsedAt, screen))} from ${lastAddress}.`;
  return `Revoke administrator's key ${id}${name} for good? ${used}`;
}

// Never shows an address whole.

type AnsweredAddress = Answer<"address revoke">;

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

function monitorOf({ monitorKey, prefix, exists }: AnsweredAddress): string {
  if (monitorKey === null) return `creates ${prefix}*`;
  return exists ? monitorKey : `${monitorKey} (gone)`;
}

export function addressQuestion(one: AnsweredAddress, screen: Screen): string {
  const used =
    one.lastUsedAt === null
      ? "It was never used."
      : `It was last used ${unbroken(age(one.lastUsedAt, screen))}${one.lastUse === null ? "" : ` from ${one.lastUse.address}`}.`;
  return `Revoke address ${one.id}, ${nameOf(one, screen)}? ${used} Jobs that still report there are refused.`;
}

/** `/ping/…3f2a for monitor nightly-backup`. */
function nameOf({ address, application, monitorKey, prefix }: AnsweredAddress, { onlyApplication }: Screen): string {
  const owner = onlyApplication ? "" : ` of application ${application}`;
  const what = monitorKey === null ? `new monitors ${visible(prefix ?? "")}*` : `monitor ${visible(monitorKey)}`;
  return `${address} for ${what}${owner}`;
}
