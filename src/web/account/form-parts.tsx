// Builds parts of the forms by which people sign in and look after their account: passwords, passkeys and browsers. It
// also reads what such a form sends.

import type { PropsWithChildren } from "hono/jsx";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { PASSWORD_MAX, PASSWORD_MIN, type PasskeySite } from "../../domain/people/sign-in.ts";
import type { ListedPasskey } from "../../engine/people/passkeys.ts";
import type { ViewContext } from "../../views/shown-monitor.ts";
import { Submit } from "../parts/act.tsx";
import { Field, Wrong } from "../parts/field.tsx";
import { Ago, type Clocked } from "../parts/moment.tsx";

export const NewPassword = () => (
  <>
    <Field
      label="New password"
      name="password"
      type="password"
      autocomplete="new-password"
      hint={`${PASSWORD_MIN} to ${PASSWORD_MAX} characters. Length is the one rule.`}
    />
    <Field label="The same again" name="again" type="password" autocomplete="new-password" />
  </>
);

export function accountRefusalSentence({ message }: Refusal): string {
  const text = message.replace(/^\w+: /, "").replace(/^it is/, "The password is");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

export const browserAgentOf = ({ headers }: Request): string =>
  (headers.get("user-agent") ?? "").slice(0, AGENT_LENGTH);

const AGENT_LENGTH = 200;

export const refuseUnequalPasswords = (form: URLSearchParams): Refusal | null =>
  form.get("password") === form.get("again")
    ? null
    : refuse("INVALID_REQUEST", "password: the two passwords are not the same");

export const TRY_LATER = refuse(
  "RATE_LIMIT_EXCEEDED",
  "too many passwords are being set or checked now; try again in a moment",
);

// Draws the button that signs in with a passkey, and a person's passkeys with the form that adds one. Only a script can
// ask a browser for a passkey: so both are hidden until the script finds that this browser has passkeys.

export const PASSKEY_PATHS = {
  askToSign: "/sign-in/passkey/question",
  signIn: "/sign-in/passkey",
  askToMake: "/account/passkeys/question",
  add: "/account/passkeys",
  remove: "/account/passkeys/remove",
} as const;

/**
 * What a `BrowserQuestionForm` needs. `question` is the address from which the script fetches what the browser must
 * answer. `site` is the only site at which the browser answers; absent when any site will do.
 */
type BrowserQuestionProps = Readonly<{
  kind: "sign" | "make" | "notify";
  action: string;
  question: string;
  site?: PasskeySite;
}>;

/**
 * A form that needs an answer of the browser, such as the signature of a passkey. It is hidden until a script shows it.
 * The script fetches the question from us, asks the browser, and sends the form with the browser's answer.
 */
export const BrowserQuestionForm = ({
  kind,
  action,
  question,
  site,
  children,
}: PropsWithChildren<BrowserQuestionProps>) => (
  <>
    <form
      method="post"
      action={action}
      class="passkey"
      data-passkey={kind}
      data-question={question}
      data-origin={site?.origin}
      hidden
    >
      <input type="hidden" name="answer" />
      {children}
      <p class="wrong" role="alert" hidden />
    </form>
    {site === undefined ? null : (
      <p class="hint" data-passkey-elsewhere hidden>
        Passkeys work at <a href={site.origin}>{site.origin}</a> alone.
      </p>
    )}
  </>
);

export const SignInByPasskey = ({ site, back }: { readonly site: PasskeySite; readonly back: string }) => (
  <BrowserQuestionForm kind="sign" action={PASSKEY_PATHS.signIn} question={PASSKEY_PATHS.askToSign} site={site}>
    <input type="hidden" name="to" value={back} />
    <Submit>Sign in with a passkey</Submit>
  </BrowserQuestionForm>
);

export interface OwnPasskeysProps extends Pick<ViewContext, "now" | "timezone"> {
  readonly passkeys: readonly ListedPasskey[];
  readonly site: PasskeySite | Refusal;
  readonly hasPassword: boolean;
  readonly here: string;
  readonly wrong: string | null;
}

export const OwnPasskeys = ({ passkeys, site, hasPassword, here, wrong, now, timezone }: OwnPasskeysProps) => (
  <section class="own" id="passkeys">
    <h2>Your passkeys</h2>
    <p class="note">
      With a passkey you sign in by your device's fingerprint, face or PIN. Nobody can read it off you or lead you to
      give it to another site.
    </p>
    <Wrong text={wrong} />
    {passkeys.length === 0 ? null : (
      <Removable
        action={PASSKEY_PATHS.remove}
        field="passkey"
        those={passkeys.map(({ host, ...passkey }) => ({
          ...passkey,
          more: isRefusal(site) || host === site.id ? "" : `; made for ${host}, and works there alone`,
        }))}
        {...{ now, timezone }}
      />
    )}
    {isRefusal(site) ? (
      <p class="hint">{accountRefusalSentence(site)}</p>
    ) : (
      <AddPasskey {...{ site, hasPassword, here }} />
    )}
  </section>
);

interface RemovableProps extends Clocked {
  readonly action: string;
  readonly field: string;
  readonly those: readonly (Pick<ListedPasskey, "id" | "name" | "createdAt" | "usedAt"> & { readonly more?: string })[];
}

/** Lists a person's passkeys or browsers, each with a button that removes it. */
export const Removable = ({ action, field, those, ...shown }: RemovableProps) => (
  <form method="post" action={action}>
    <ul class="sessions">
      {those.map(({ id, name, createdAt, usedAt, more }) => (
        <li key={id}>
          <div>
            <p>{name}</p>
            <p class="small">
              added <Ago at={createdAt} {...shown} />,{" "}
              {usedAt === null ? (
                "not used yet"
              ) : (
                <>
                  last used <Ago at={usedAt} {...shown} />
                </>
              )}
              {more}
            </p>
          </div>
          <button class="button" type="submit" name={field} value={String(id)} aria-label={`Remove ${name}`}>
            Remove
          </button>
        </li>
      ))}
    </ul>
  </form>
);

type AddProps = Pick<OwnPasskeysProps, "hasPassword" | "here"> & { readonly site: PasskeySite };

const AddPasskey = ({ site, hasPassword, here }: AddProps) => (
  <div class="door">
    <p class="hint" data-passkey-missing>
      To add one, open this page with script in a browser that knows passkeys.
    </p>
    <BrowserQuestionForm kind="make" action={PASSKEY_PATHS.add} question={PASSKEY_PATHS.askToMake} site={site}>
      <Field label="Call it" name="called" autocomplete="off" value={here} />
      {hasPassword ? (
        <Field
          label="Your password, to confirm"
          name="current"
          id="confirm"
          type="password"
          autocomplete="current-password"
        />
      ) : null}
      <Submit>Add a passkey</Submit>
    </BrowserQuestionForm>
  </div>
);
