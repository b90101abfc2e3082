// Keeps a login out of what people read: some mail servers repeat a line that they did not understand, and that line
// may hold the password (R40).

/** What a mail server is told to log in. */
export interface SmtpLogin {
  readonly username: string;
  readonly password: string;
}

/** Hiding every `a` would ruin the text and reveal that the password is `a`. */
const PASSWORD_LENGTH_MIN = 4;

/** A function that hides, in a server's answer, the password itself and both forms in which we send it. */
export function hidingLogin(login: SmtpLogin | null): (answer: string) => string {
  if (login === null || login.password.length < PASSWORD_LENGTH_MIN) return (answer) => answer;
  const { username, password } = login;
  // AUTH PLAIN sends both in one text, AUTH LOGIN each separately.
  const sent = [`\0${username}\0${password}`, password].map((text) => Buffer.from(text).toString("base64"));
  const forms = [...sent.map((text) => text.replace(/=+$/, "")), password].map((form) => RegExp.escape(form));
  const secret = new RegExp(`(?:${forms.join("|")})=*`, "g");
  return (answer) => answer.replace(secret, "***");
}
