// What the forms of people are put together from, and how such a form is taken in.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { PASSWORD_MAX, PASSWORD_MIN } from "../../domain/people/password.ts";
import type { Entrance, Socket } from "../../http/handler.ts";
import { formOf, isFromOurPages } from "../form.ts";

interface FieldProps {
  readonly label: string;
  readonly name: string;
  /** Where the page has another field of this name. */
  readonly id?: string;
  readonly autocomplete: string;
  readonly type?: "text" | "password";
  readonly value?: string;
  readonly hint?: string;
}

/** A field with its label; password managers know it by `autocomplete`. */
export const Field = ({ label, name, id = name, autocomplete, type = "text", value, hint }: FieldProps) => (
  <p class="field">
    <label for={id}>{label}</label>
    <input
      id={id}
      name={name}
      type={type}
      autocomplete={autocomplete}
      autocapitalize="none"
      spellcheck={false}
      required
      {...(value === undefined ? {} : { value })}
      {...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` })}
    />
    {hint === undefined ? null : <small id={`${id}-hint`}>{hint}</small>}
  </p>
);

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

const FROM_ELSEWHERE = refuse("ACCESS_DENIED", "the form was not sent from a page of this rollcall; nothing was done");

/** The fields of a form that a page of ours sent, whoever is signed in. */
export const ownFormOf = async (
  { isSecure }: Pick<Entrance, "isSecure">,
  request: Request,
  socket: Socket,
): Promise<URLSearchParams | Refusal> =>
  isFromOurPages(request, isSecure(request, socket)) ? formOf(request) : FROM_ELSEWHERE;

/** A refusal's sentence without the name of the field at its beginning. */
export function sentenceOf({ message }: Refusal): string {
  const text = message.replace(/^\w+: /, "").replace(/^it is/, "The password is");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The browser as a person recognizes it in a list. */
export const agentOf = ({ headers }: Request): string => (headers.get("user-agent") ?? "").slice(0, AGENT_LENGTH);

const AGENT_LENGTH = 200;

export const isSame = (form: URLSearchParams): Refusal | null =>
  form.get("password") === form.get("again")
    ? null
    : refuse("INVALID_REQUEST", "password: the two passwords are not the same");

export const TRY_LATER = refuse(
  "RATE_LIMIT_EXCEEDED",
  "too many passwords are being set or checked now; try again in a moment",
);
