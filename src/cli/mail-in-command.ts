// `rollcall mail-in`: a mail server of this machine gives it a mail, and it hands the mail to the running service by
// SMTP. It ends with an exit code of sysexits.h. With code 75 the mail server keeps the mail and tries again.

import { createTransport } from "nodemailer";
import { DONE, type Io } from "./io.ts";

const BAD_MAIL = 65;
const NO_SUCH_ADDRESS = 67;
const TRY_AGAIN = 75;
/** How many milliseconds to wait for each SMTP reply of the service. */
const SILENCE_MAX_MS = 60_000;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Hands the mail on stdin to the service, and returns the exit code. `to` replaces the recipient that the mail server
 * names; `at` is the address where the service listens for mail.
 */
export async function runMailIn(to: string | null, at: string, variables: Variables, io: Io): Promise<number> {
  const raw = Buffer.from(await Bun.stdin.bytes());
  const recipient = to ?? recipientIn(variables, raw);
  if (recipient === "") {
    io.err("no recipient is known: name it with --to");
    return NO_SUCH_ADDRESS;
  }
  const [, host = at, port = ""] = /^\[?([^\]]*)\]?:(\d+)$/.exec(at) ?? [];
  const transport = createTransport({ host, port: Number(port), ignoreTLS: true, socketTimeout: SILENCE_MAX_MS });
  try {
    await transport.sendMail({ envelope: { from: "", to: recipient }, raw });
    return DONE;
  } catch (error) {
    const { response, responseCode: code = 0, message } = error as Error & { response?: string; responseCode?: number };
    io.err(response ?? `${message}; is rollcall running, and mail_in.listen ${at}?`);
    return code === 550 ? NO_SUCH_ADDRESS : code > 500 ? BAD_MAIL : TRY_AGAIN;
  }
}

/**
 * Returns the recipient as Postfix names it, otherwise as the mail's headers do. In `rollcall+backup+ck_app_…` the
 * part after `rollcall+` is the address of the report: `rollcall` is only the user. Postfix gives that part in
 * $EXTENSION.
 */
function recipientIn({ ORIGINAL_RECIPIENT, RECIPIENT, EXTENSION = "" }: Variables, mail: Buffer): string {
  const named = ORIGINAL_RECIPIENT || RECIPIENT;
  // Whether $EXTENSION is the address of a report. Postfix may have put it in lower case, and then a key in it would
  // not work. So the same part is cut from the recipient, which keeps its case.
  const isReportAddress = /.\+ck_app_|^[0-9a-f-]{36}$/i.test(EXTENSION);
  if (named) return isReportAddress ? named.slice(named.search(/@[^@]*$|$/) - EXTENSION.length) : named;
  const [head = ""] = mail.toString("latin1").split(/\r?\n\r?\n/, 1);
  const said = ["X-Original-To", "Delivered-To", "To"].map((name) => new RegExp(`^${name}:(.*)`, "im").exec(head)?.[1]);
  return said.flatMap((text) => text?.match(/[^\s<>,;"]+@[^\s<>,;"]+/)?.[0] ?? [])[0] ?? "";
}
