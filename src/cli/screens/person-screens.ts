// `rollcall user …` and `rollcall audit`: people who may sign in, and who did what. Shows a new link once, on stdout
// and nowhere else.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import type { Io } from "../io.ts";
import { olderOnes, type Presenter } from "./presenter.ts";
import { headIn, minute, moment, shortText, shown, unbroken } from "./spoken.ts";
import { say } from "./table.ts";

/** The link is alone on the first line of stdout; everything else goes to stderr. */
export const userCreate: Presenter<"user create"> = {
  kind: "action",
  say: ({ answer: { name, role, link }, screen, io }) => {
    if (link === null) io.out(`created ${name}, ${role}`);
    else sayLink(`created ${name}, ${role}`, link, screen, io);
  },
};

export const userPasswd: Presenter<"user passwd"> = {
  kind: "action",
  say: ({ answer: { name, link, passkeysRemoved }, screen, io }) => {
    const gone = passkeysRemoved === 0 ? "" : `; removed ${counted(passkeysRemoved, "passkey")}`;
    if (link === null) io.out(`set the password of ${name}, who is signed out everywhere${gone}`);
    else sayLink(`${name} has no password now and is signed out everywhere${gone}`, link, screen, io);
  },
};

type WrittenLink = NonNullable<WrittenAnswer<"user create">["link"]>;

function sayLink(done: string, { path, address, expiresAt }: WrittenLink, screen: Screen, io: Io): void {
  io.out(`${address ?? ""}${path}`);
  const where = address === null ? "; put the dashboard's address in front of it" : "";
  say(io, `${done}; the link sets a password once, until ${shown(moment(expiresAt, screen))}${where}`);
}

export const userDelete: Presenter<"user delete"> = {
  kind: "action",
  say: ({ answer: { name }, io }) => io.out(`deleted ${name}, who is signed out everywhere`),
};

export const userChange: Presenter<"user change"> = {
  kind: "action",
  say: ({ answer: { name, role, applications }, io }) =>
    io.out(
      `${name} has the role ${role} now, for ${applications === null ? "all applications" : applications.join(", ")}`,
    ),
};

export const userSignOut: Presenter<"user sign-out"> = {
  kind: "action",
  say: ({ answer: { name, sessions }, io }) =>
    io.out(sessions === 0 ? `${name} was not signed in` : `signed out ${name}: ended ${counted(sessions, "session")}`),
};

export const userUnbind: Presenter<"user unbind"> = {
  kind: "action",
  say: ({ answer: { name, account }, io }) =>
    io.out(
      account === null
        ? `${name} was bound to no account of a provider`
        : `unbound ${name} from the account ${account.subject} of ${account.issuer}; ${name} is signed out everywhere`,
    ),
};

export const userList: Presenter<"user list"> = {
  kind: "list",
  items: ({ people }) => people,
  none: (_asked, { typed }) =>
    `there are no people yet; this makes one: ${unbroken(typed("user create NAME --role admin"))}`,
  head: (screen) => [
    "NAME",
    "ROLE",
    "APPLICATIONS",
    headIn(screen, "CREATED"),
    "SIGNED IN",
    "PASSWORD",
    "PASSKEYS",
    "PROVIDER",
    "SESSIONS",
  ],
  rows: ({ people }, screen) =>
    people.map((person) => [
      person.name,
      person.role,
      person.applications === null ? "all" : person.applications.join(", "),
      minute(person.createdAt, screen),
      person.signedInAt === null ? "never" : minute(person.signedInAt, screen),
      passwordOf(person, screen),
      String(person.passkeys),
      person.account === null ? "-" : "bound",
      String(person.sessions),
    ]),
};

function passwordOf({ hasPassword, linkExpiresAt }: WrittenAnswer<"user list">["people"][number], screen: Screen) {
  if (linkExpiresAt !== null) return `link until ${minute(linkExpiresAt, screen)}`;
  return hasPassword ? "set" : "none";
}

type WrittenAuditEntry = WrittenAnswer<"audit">["entries"][number];

export const auditList: Presenter<"audit"> = {
  kind: "list",
  items: ({ entries }) => entries,
  none: ({ sinceSeconds, name, kind, application, monitorKey }) =>
    [sinceSeconds, name, kind, application, monitorKey].every((one) => one === undefined)
      ? "nobody has done anything yet"
      : "nobody did anything like that",
  head: (screen) => ["ID", headIn(screen, "AT"), "WHO", "FROM", "WHAT", "ABOUT", "ASKED"],
  rows: ({ entries }, screen) =>
    entries.map((entry) => [
      String(entry.id),
      minute(entry.at, screen),
      entry.by === "system" ? `${entry.name ?? "unknown"} (command)` : (entry.name ?? "-"),
      entry.address ?? "-",
      entry.action,
      aboutOf(entry, screen),
      shortText(askedOf(entry), ASKED_SHOWN),
    ]),
  beside: ({ entries, more }) => olderOnes(entries.length, more),
};

const ASKED_SHOWN = 80;

function aboutOf({ application, monitorKey }: WrittenAuditEntry, { onlyApplication }: Screen): string {
  if (application === null) return "-";
  if (monitorKey === null) return application;
  return onlyApplication ? monitorKey : `${application}/${monitorKey}`;
}

/** Without what stands in the column before. */
const askedOf = ({ details, application, monitorKey }: WrittenAuditEntry): string =>
  Object.entries(details)
    .filter(
      ([name, value]) =>
        !(value === application && name === "application") && !(value === monitorKey && name === "key"),
    )
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ") || "-";
