// The fields of a person's rights, as two forms have them: the role, and which applications.

import { ROLES, type Role } from "../../domain/people/person.ts";

const WORDS: Readonly<Record<Role, string>> = {
  viewer: "viewer: looks",
  operator: "operator: also acknowledges and pauses",
  admin: "admin: does everything",
};

interface RightsProps {
  readonly granted: Role;
  /** Slugs; null: all. */
  readonly chosen: readonly string[] | null;
  /** Slugs, to choose from. */
  readonly applications: readonly string[];
}

export const RightsFields = ({ granted, chosen, applications }: RightsProps) => (
  <>
    <p class="field">
      <label for="role">Role</label>
      <select id="role" name="role">
        {ROLES.map((one) => (
          <option key={one} value={one} selected={one === granted}>
            {WORDS[one]}
          </option>
        ))}
      </select>
    </p>
    <fieldset class="choices">
      <legend>Applications</legend>
      <label>
        <input type="radio" name="sees" value="all" checked={chosen === null} /> all, also later ones
      </label>
      <label>
        <input type="radio" name="sees" value="some" checked={chosen !== null} /> only these:
      </label>
      <div class="choices-some">
        {applications.map((slug) => (
          <label key={slug}>
            <input type="checkbox" name="application" value={slug} checked={chosen?.includes(slug) ?? false} /> {slug}
          </label>
        ))}
      </div>
      <small>Only those who see all applications see people, settings and destinations.</small>
    </fieldset>
  </>
);

/** What the fields say, as operations take it; `applications` null: all. */
export function rightsIn(form: URLSearchParams): { readonly role: Role; readonly applications: string | null } {
  // The operation says what a role may be.
  const role = (form.get("role") ?? "viewer") as Role;
  return { role, applications: form.get("sees") === "some" ? form.getAll("application").join(",") : null };
}
