// `rollcall user …` and `rollcall audit`. A new link is shown once, on stdout and nowhere else.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import type { Io } from "../io.ts";
import { olderOnes, type Screens } from "./presenter.ts";
import { headIn, minute, moment, shortText, shown, unbroken } from "./spoken.ts";
import { say } from "./table.ts";

export const PERSON_SCREENS: Screens = {
  "user create": ({ answer: { name, role, link }, screen, io }) =>
    sayDone(`created ${name}, ${role}`, link, screen, io),
  "user passwd": ({ answer: { name, link, passkeysRemoved }, screen, io }) => {
    const gone = passkeysRemoved === 0 ? "" : `; removed ${counted(passkeysRemoved, "passkey")}`;
    const set = `set the password of ${name}, who is signed out everywhere${gone}`;
    sayDone(`${name} has no password now and is signed out everywhere${gone}`, link, screen, io, set);
  },
  "user delete": ({ answer: { name }, io }) => io.out(`deleted ${name}, who is signed out everywhere`),
  "user change": ({ answer: { name, role, applications }, io }) =>
    io.out(
      `${name} has the role ${role} now, for ${applications === null ? "all applications" : applications.join(", ")}`,
    ),
  "user sign-out": ({ answer: { name, sessions }, io }) =>
    io.out(sessions === 0 ? `${name} was not signed in` : `signed out ${name}: ended ${counted(sessions, "session")}`),
  "user unbind": ({ answer: { name, account }, io }) =>
    io.out(
      account === null
        ? `${name} was bound to no account of a provider`
        : `unbound ${name} from the account ${account.subject} of ${account.issuer}; ${name} is signed out everywhere`,
    ),
  "user list": {
    items: ({ people }) => people,
    none: (_asked, { typed }) =>
      `there are no people yet; this makes one: ${unbroken(typed("user create NAME --role admin"))}`,
    rows: ({ people }, screen) =>
      people.map((person) => ({
        NAME: person.name,
        ROLE: person.role,
        APPLICATIONS: person.applications === null ? "all" : person.applications.join(", "),
        [headIn(screen, "CREATED")]: minute(person.createdAt, screen),
        "SIGNED IN": person.signedInAt === null ? "never" : minute(person.signedInAt, screen),
        PASSWORD: passwordOf(person, screen),
        PASSKEYS: String(person.passkeys),
        PROVIDER: person.account === null ? "-" : "bound",
        SESSIONS: String(person.sessions),
      })),
  },
  audit: {
    items: ({ entries }) => entries,
    none: ({ sinceSeconds, name, kind, application, monitorKey }) =>
      [sinceSeconds, name, kind, application, monitorKey].every((one) => one === undefined)
        ? "nobody has done anything yet"
        : "nobody did anything like that",
    rows: ({ entries }, screen) =>
      entries.map((entry) => ({
        ID: String(entry.id),
        [headIn(screen, "AT")]: minute(entry.at, screen),
        WHO: entry.name === null ? "rollcall itself" : `${entry.name}${entry.by === "system" ? " (command)" : ""}`,
        FROM: entry.address ?? "-",
        WHAT: entry.action,
        ABOUT: aboutOf(entry, screen),
        ASKED: shortText(askedOf(entry), ASKED_SHOWN),
      })),
    beside: ({ entries, more }) => olderOnes(entries.length, more),
  },
};

function sayDone(done: string, link: Answer<"user create">["link"], screen: Screen, io: Io, otherwise = done): void {
  if (link === null) return io.out(otherwise);
  const { path, address, expiresAt } = link;
  io.out(`${address ?? ""}${path}`);
  const where = address === null ? "; put the dashboard's address in front of it" : "";
  say(io, `${done}; the link sets a password once, until ${shown(moment(expiresAt, screen))}${where}`);
}

function passwordOf({ hasPassword, linkExpiresAt }: Answer<"user list">["people"][number], screen: Screen) {
  if (linkExpiresAt !== null) return `link until ${minute(linkExpiresAt, screen)}`;
  return hasPassword ? "set" : "none";
}

type AnsweredAuditEntry = Answer<"audit">["entries"][number];

const ASKED_SHOWN = 80;

function aboutOf({ application, monitorKey }: AnsweredAuditEntry, { onlyApplication }: Screen): string {
  if (application === null) return "-";
  if (monitorKey === null) return application;
  return onlyApplication ? monitorKey : `${application}/${monitorKey}`;
}

/** Without what stands in the column before. */
const askedOf = ({ details, application, monitorKey }: AnsweredAuditEntry): string =>
  Object.entries(details)
    .filter(
      ([name, value]) =>
        !(value === application && name === "application") && !(value === monitorKey && name === "key"),
    )
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ") || "-";
