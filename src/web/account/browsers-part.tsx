// Draws a part of the page `/account`: the browsers that show a person alerts as notifications.

import type { KnownBrowser } from "../../engine/people/browsers.ts";
import { Submit } from "../parts/act.tsx";
import { Wrong } from "../parts/field.tsx";
import type { Clocked } from "../parts/moment.tsx";
import { BrowserQuestionForm, Removable } from "./form-parts.tsx";

export const BROWSER_PATHS = {
  ask: "/account/browsers/question",
  add: "/account/browsers",
  remove: "/account/browsers/remove",
  test: "/account/browsers/test",
} as const;

interface OwnBrowsersProps extends Clocked {
  readonly browsers: readonly (Pick<KnownBrowser, "id" | "createdAt" | "usedAt"> & { readonly name: string })[];
  readonly isTested: boolean;
  readonly wrong: string | null;
}

export const OwnBrowsers = ({ browsers, isTested, wrong, ...shown }: OwnBrowsersProps) => (
  <section class="own" id="browsers">
    <h2>Browsers that notify you</h2>
    <p class="note">They show alerts of every job that you may see, also while no page of rollcall is open.</p>
    <Wrong text={wrong} />
    {browsers.length === 0 ? null : (
      <>
        <Removable action={BROWSER_PATHS.remove} field="browser" those={browsers} {...shown} />
        <form method="post" action={BROWSER_PATHS.test}>
          <Submit>Send a test</Submit>
        </form>
        {isTested ? (
          <p class="hint" role="status">
            A test was sent. If it does not appear in a minute, look at the notifications that your system allows.
          </p>
        ) : null}
      </>
    )}
    <div class="door">
      <p class="hint" data-passkey-missing>
        To add this browser, open this page with script.
      </p>
      <BrowserQuestionForm kind="notify" action={BROWSER_PATHS.add} question={BROWSER_PATHS.ask}>
        <Submit>Notify this browser</Submit>
      </BrowserQuestionForm>
    </div>
  </section>
);
