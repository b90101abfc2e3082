// People who may sign in, as lists, their pages and commands show them. Pure.

import type { PeopleList } from "../answers/people.ts";
import { type Column, dated } from "./rows.ts";

/** Beside the name. */
export const PERSON_COLUMNS: readonly Column<PeopleList["people"][number]>[] = [
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

/** `all applications`, `prod, staging`. */
export const applicationsInWords = (applications: readonly string[] | null): string =>
  applications === null ? "all applications" : applications.join(", ") || "no application";
