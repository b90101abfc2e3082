// Says who may sign in, for lists, pages and commands. Pure.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { PeopleList } from "../schemas/person-schemas.ts";
import { type Column, dated, type RowPart } from "./rows.ts";

export type ListedPerson = PeopleList["people"][number];

/** The columns of a list of people, after the name. */
export const PERSON_COLUMNS: readonly Column<ListedPerson>[] = [
  { head: "role", cell: ({ role }) => [role], isPlain: true },
  { head: "applications", cell: ({ applications }) => [applicationsInWords(applications)], isPlain: true },
  { head: "created", cell: ({ createdAt }) => [dated(createdAt)], namesZone: true },
  { head: "signed in", cell: ({ signedInAt }) => [signedInAt === null ? "never" : dated(signedInAt)] },
  {
    head: "password",
    cell: ({ hasPassword, linkExpiresAt }) => {
      if (linkExpiresAt !== null) return ["none yet, its link ends ", dated(linkExpiresAt)];
      return [hasPassword ? "set" : "none"];
    },
  },
  { head: "passkeys", cell: ({ passkeys }) => (passkeys === 0 ? [] : [String(passkeys)]) },
  { head: "provider", cell: ({ account }) => (account === null ? [] : ["bound"]) },
  { head: "sessions", cell: ({ sessions }) => (sessions === 0 ? [] : [String(sessions)]) },
];

/** Sentences about what ends when a person is deleted, and what stays. A page shows each as a paragraph. */
export const deletedInWords = ({ name, sessions, passkeys }: ListedPerson): RowPart[][] => [
  [
    `${name} is signed out everywhere at once (${counted(sessions, "session")}) and cannot sign in again; the password, ` +
      `${counted(passkeys, "passkey")} and any open link are gone.`,
  ],
  [`Who did what keeps the name, and so do incidents that ${name} acknowledged. This cannot be undone.`],
];

export const applicationsInWords = (applications: readonly string[] | null): string =>
  applications === null ? "all applications" : applications.join(", ") || "no application";
