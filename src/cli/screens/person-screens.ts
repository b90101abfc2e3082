// Prints the answers to `rollcall user …` and `rollcall audit`. A new one-time link is shown once, on stdout and
// nowhere else.

import { counted } from "../../domain/wording/spoken-time.ts";
import { type Answer, actionInWords } from "../../engine/operations/operations.ts";
import { aboutWhat, askedWhat, fromWhere, whoActed } from "../../views/rows/audit-rows.ts";
import { applicationsInWords, deletedInWords, PERSON_COLUMNS } from "../../views/rows/person-rows.ts";
import type { Screen } from "../asking/ask-service.ts";
import type { Io } from "../io.ts";
import { olderOnes, type Screens } from "./presenter.ts";
import { questionOf, tableCells, textOfParts } from "./row-lines.ts";
import { headIn, printedMinute, printedMoment, unbroken, withPlainSpaces } from "./spoken.ts";
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
    io.out(`${name} has the role ${role} now, for ${applicationsInWords(applications)}`),
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
        ...tableCells(PERSON_COLUMNS, person, screen),
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
        [headIn(screen, "AT")]: printedMinute(entry.at, screen),
        WHO: textOfParts(whoActed(entry), screen),
        FROM: textOfParts(fromWhere(entry), screen),
        DID: actionInWords(entry.action),
        ABOUT: textOfParts(aboutWhat(entry, !screen.onlyApplication), screen) || "-",
        ASKED: textOfParts(askedWhat(entry), screen) || "-",
      })),
    beside: ({ entries, more }) => olderOnes(entries.length, more),
  },
};

/** Returns the question `Delete Ada?`, and sentences about what that does. */
export const personQuestion = (person: Answer<"user list">["people"][number], screen: Screen): string =>
  questionOf(`Delete ${person.name}?`, deletedInWords(person), screen);

function sayDone(done: string, link: Answer<"user create">["link"], screen: Screen, io: Io, otherwise = done): void {
  if (link === null) return io.out(otherwise);
  const { path, address, expiresAt } = link;
  io.out(`${address ?? ""}${path}`);
  const where = address === null ? "; put the dashboard's address in front of it" : "";
  say(io, `${done}; the link sets a password once, until ${withPlainSpaces(printedMoment(expiresAt, screen))}${where}`);
}
