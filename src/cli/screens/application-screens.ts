// Prints the answers to `rollcall app …`, `status-page …`, `key …`, `admin-key …` and `address …`:
// applications, their status pages, and the keys and addresses with which their jobs report.

import { visibleText } from "../../domain/text.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import {
  ADDRESS_COLUMNS,
  ADMIN_KEY_COLUMNS,
  APPLICATION_COLUMNS,
  KEY_COLUMNS,
  type KeyToRevoke,
  keyFacts,
  keyName,
  revokedAddressInWords,
  revokedInWords,
  scopeInWords,
  suspendedInWords,
  useOfAdminKey,
  useSentence,
} from "../../views/rows/key-rows.ts";
import { fact, factUnlessNull } from "../../views/rows/rows.ts";
import type { Screen } from "../asking/ask-service.ts";
import type { Io } from "../io.ts";
import type { Screens } from "./presenter.ts";
import { factLines, questionOf, tableCells } from "./row-lines.ts";
import { printedMoment, unbroken, withPlainSpaces } from "./spoken.ts";
import { formatFacts, ownerCell, say } from "./table.ts";

export const APPLICATION_SCREENS: Screens = {
  "app create": ({ answer: { slug }, screen, io }) => {
    io.out(`created application ${slug}`);
    say(io, `next: ${unbroken(screen.typed(`key create ${slug}`))}`);
  },
  "app list": {
    items: ({ applications }) => applications,
    none: () => "there are no applications",
    rows: ({ applications }, screen) =>
      applications.map((one) => ({ APPLICATION: one.slug, ...tableCells(APPLICATION_COLUMNS, one, screen) })),
  },
  "app suspend": ({ answer: { changed, application }, screen, io }) => {
    const { slug, suspendedAt } = application;
    if (!changed)
      return io.out(withPlainSpaces(`${slug} is suspended already, since ${printedMoment(suspendedAt!, screen)}`));
    io.out(`suspended ${slug}`);
    say(io, suspendedInWords(application));
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
    say(io, `the history of its monitors goes after 7 days, at ${printedMoment(historyUntil, screen)}`);
  },
};

/**
 * Returns the address of a status page, or only its path when rollcall does not know the address under which browsers
 * reach it.
 */
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

// Prints the answers about keys. A new key is shown once: alone on the first line of stdout, and nowhere else.

export const KEY_SCREENS: Screens = {
  "key create": ({ answer, screen, io }) => sayNew(newKey(answer, screen), answer.key, io),
  "key list": {
    items: ({ keys }) => keys,
    none: ({ application }, { typed }) =>
      `there are no keys yet; this makes one: ${unbroken(typed(`key create ${application ?? "APP"}`))}`,
    rows: ({ keys }, screen) =>
      keys.map((key) => ({
        ID: String(key.id),
        ...ownerCell(screen, key.application),
        LABEL: key.label ?? "-",
        ...tableCells(KEY_COLUMNS, key, screen),
      })),
  },
  "key show": {
    lines: (key, screen) => {
      const times = `All times here are in ${screen.timezone}.`;
      const { id, application, label } = key;
      const named = [fact("key", String(id)), fact("application", application), ...factUnlessNull("label", label)];
      return formatFacts([...factLines([...named, ...keyFacts(key)], screen), ["", times]], screen);
    },
  },
  "key label": ({ answer: { id, label, application }, screen, io }) => {
    const name = `key ${id}${ownerOf(application, screen)}`;
    io.out(label === null ? `${name} has no label` : `${name} is labelled ${visibleText(label)}`);
  },
  "key rotate": ({ answer, screen, io }) => {
    sayNew(newKey(answer, screen), answer.key, io);
    const { id: old, worksUntil } = answer.replaces;
    say(
      io,
      worksUntil === null
        ? `key ${old} works no more`
        : `key ${old} still works until ${withPlainSpaces(printedMoment(worksUntil, screen))}; ${unbroken(screen.typed(`key show ${old}`))} says which monitors still use it`,
    );
  },
  "key revoke": ({ answer: { id, application }, screen, io }) =>
    io.out(`revoked key ${id}${ownerOf(application, screen)}`),
  "admin-key create": ({ answer, io }) =>
    sayNew(`administrator's key ${answer.id}, scope ${answer.scope}`, answer.key, io),
  "admin-key list": {
    items: ({ keys }) => keys,
    none: (_asked, { typed }) =>
      `there is no administrator's key, and so no administrator's API; this makes one: ${unbroken(typed("admin-key create"))}`,
    rows: ({ keys }, screen) =>
      keys.map((key) => ({
        ID: String(key.id),
        LABEL: key.label ?? "-",
        ...tableCells(ADMIN_KEY_COLUMNS, key, screen),
      })),
  },
  "admin-key revoke": ({ answer: { id }, io }) => io.out(`revoked administrator's key ${id}`),
};

const newKey = ({ id, application, scope }: Answer<"key create">, screen: Screen): string =>
  `key ${id}${ownerOf(application, screen)}, for ${scopeInWords(scope)}`;

function sayNew(name: string, key: string, io: Io): void {
  io.out(key);
  say(io, `${name}; it is shown this once, only its hash is kept`);
}

const ownerOf = (application: string, { onlyApplication }: Screen): string =>
  onlyApplication ? "" : ` of application ${application}`;

/** Returns the question `Revoke key 3, web-1, of prod for good?`, and sentences about what that stops. */
export const keyQuestion = (revoked: KeyToRevoke, screen: Screen): string =>
  questionOf(`Revoke ${keyName(revoked.key)} of ${revoked.key.application} for good?`, revokedInWords(revoked), screen);

export const adminKeyQuestion = (key: Answer<"admin-key list">["keys"][number], screen: Screen): string =>
  questionOf(`Revoke administrator's ${keyName(key)} for good?`, [useSentence(useOfAdminKey(key))], screen);

// Prints the answers about addresses of other services. An address is never shown whole, because whoever knows it can
// report.

type AnsweredAddress = Answer<"address revoke">;

export const ADDRESS_SCREENS: Screens = {
  "address add": ({ answer, screen, io }) => {
    const { id, added } = answer;
    const words = `${addressLabel(answer, screen)}, address ${id}`;
    io.out(added ? `${words}: jobs may report there once its host name leads here` : `${words}: it was there already`);
  },
  "address list": {
    items: ({ addresses }) => addresses,
    none: ({ application = null, monitor = null }, { typed }) => {
      const key = monitor === null ? "" : ` for a monitor ${visibleText(monitor)}`;
      const owner = application === null ? "" : ` in application ${visibleText(application)}`;
      return `there are no addresses of other services${key}${owner}; this adds one: ${unbroken(typed("address add ADDRESS KEY"))}`;
    },
    leavesOutEmpty: true,
    rows: ({ addresses }, screen) =>
      addresses.map((one) => ({
        ID: String(one.id),
        ...ownerCell(screen, one.application),
        ADDRESS: one.address,
        ...tableCells(ADDRESS_COLUMNS, one, screen),
      })),
  },
  "address revoke": ({ answer, screen, io }) => io.out(`revoked address ${answer.id}, ${addressLabel(answer, screen)}`),
};

export const addressQuestion = (one: AnsweredAddress, screen: Screen): string =>
  questionOf(`Revoke address ${one.id} of ${one.application}?`, revokedAddressInWords(one), screen);

/** Returns text such as `/ping/…3f2a for monitor nightly-backup`. */
function addressLabel(
  { address, application, monitorKey, prefix }: AnsweredAddress,
  { onlyApplication }: Screen,
): string {
  const owner = onlyApplication ? "" : ` of application ${application}`;
  const what =
    monitorKey === null ? `new monitors ${visibleText(prefix ?? "")}*` : `monitor ${visibleText(monitorKey)}`;
  return `${address} for ${what}${owner}`;
}
