// The forms that make a key and an application.

import { KEY_LABEL_LENGTH } from "../../domain/limits.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { Wrong } from "../parts/act.tsx";
import { APPLICATIONS_PATH, KEYS_PATH } from "../paths.ts";
import { SCOPES, scopeInWords } from "./used.tsx";

interface MakeKeyProps {
  readonly application: string;
  /** The newest key that the page shows: a form that is sent twice makes one key. */
  readonly newest: number;
}

export const MakeKey = ({ application, newest }: MakeKeyProps) => (
  <form class="make" method="post" action={KEYS_PATH}>
    <input type="hidden" name="application" value={application} />
    <input type="hidden" name="newest" value={String(newest)} />
    <label>
      <span class="unseen">What the new key of {application} is for</span>
      <select name="scope">
        {SCOPES.map((scope) => (
          <option key={scope} value={scope}>
            for {scopeInWords(scope)}
          </option>
        ))}
      </select>
    </label>
    <LabelField value="" />
    <button type="submit" class="button is-plain">
      Make a key
    </button>
  </form>
);

/** What people call a key. */
export const LabelField = ({ value }: { readonly value: string }) => (
  <label>
    <span class="unseen">What people call the key</span>
    <input
      name="label"
      value={value}
      maxlength={KEY_LABEL_LENGTH}
      placeholder="its name, such as web-1"
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
    />
  </label>
);

export interface MakeApplicationProps {
  /** As it was written before. */
  readonly slug: string;
  /** What was wrong with that; null: nothing. */
  readonly wrong: string | null;
}

const SLUG_MAX = 40;

export const MakeApplication = ({ slug, wrong }: MakeApplicationProps) => (
  <section class="group" aria-labelledby="new-application">
    <h2 class="group-head" id="new-application">
      A new application
    </h2>
    <form class="make" method="post" action={APPLICATIONS_PATH}>
      <label for="slug">Name in keys</label>
      <input
        id="slug"
        name="slug"
        value={slug}
        required
        maxlength={SLUG_MAX}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby="slug-hint"
        {...(wrong === null ? {} : { "aria-invalid": "true" })}
      />
      <button type="submit" class="button is-plain">
        Create it
      </button>
      <Wrong text={wrong} />
      <p class="note" id="slug-hint">
        At most {counted(SLUG_MAX, "character")}: a to z, 0 to 9 and "-". It groups jobs that share keys, and stays as
        it is; <code>rollcall app rename</code> gives it another name for people.
      </p>
    </form>
  </section>
);
