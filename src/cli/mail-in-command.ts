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

/** Matches the address of a report, with or without a user's name before it. */
const REPORT_ADDRESS = /.\+ck_app_|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}@/i;

/**
 * Returns the recipient: the first address of a report that the mail server names, or else that the mail's headers
 * name. Postfix names in $ORIGINAL_RECIPIENT the address that the mail was sent to, which may be an alias such as
 * `root`, and in $RECIPIENT what the alias stands for. Exim and OpenSMTPD name $RECIPIENT alone, sendmail nothing.
 */
function recipientIn(variables: Variables, mail: Buffer): string {
  const [head = ""] = mail.toString("latin1").split(/\r?\n\r?\n/, 1);
  const unfolded = head.replaceAll(/\r?\n[ \t]+/g, " ");
  const headers = ["X-Original-To", "Delivered-To", "To"].map((name) =>
    new RegExp(`^${name}:(.*)`, "im").exec(unfolded),
  );
  const inHeaders = headers.flatMap((header) => header?.[1]?.match(/[^\s<>,;"]+@[^\s<>,;"]+/g) ?? []);
  const { ORIGINAL_RECIPIENT = "", RECIPIENT = "" } = variables;
  const named = [ORIGINAL_RECIPIENT, RECIPIENT, ...inHeaders].filter((one) => one.includes("@"));
  const recipient = named.find((one) => REPORT_ADDRESS.test(one)) ?? named[0] ?? "";
  return asWritten(withoutUser(recipient, variables), unfolded);
}

/**
 * Cuts the user from a recipient: in `rollcall+backup+ck_app_…` the part after `rollcall+` is the address of the
 * report. Postfix names that part in $EXTENSION and Exim in $LOCAL_PART_SUFFIX, both perhaps in small letters. Other
 * mail servers do not name it, so their address is cut where one more `+` stands before the monitor's.
 */
function withoutUser(recipient: string, variables: Variables): string {
  const { ORIGINAL_RECIPIENT, EXTENSION, LOCAL_PART_SUFFIX } = variables;
  const isNamed = [ORIGINAL_RECIPIENT, EXTENSION, LOCAL_PART_SUFFIX].some((one) => one !== undefined);
  if (!isNamed) return recipient.replace(/^[^+@]+\+(?=[^@]+\+ck_app_|[0-9a-f-]{36}@)/i, "");
  const behindUser = EXTENSION ?? LOCAL_PART_SUFFIX?.slice(1) ?? "";
  if (!REPORT_ADDRESS.test(`${behindUser}@`)) return recipient;
  return recipient.slice(Math.max(0, recipient.search(/@[^@]*$|$/) - behindUser.length));
}

/** Writes the recipient with the capitals that it has in the mail's head: Exim names it in small letters. */
function asWritten(recipient: string, head: string): string {
  const at = head.toLowerCase().indexOf(recipient.toLowerCase());
  return at < 0 ? recipient : head.slice(at, at + recipient.length);
}
