// Reads from the body of a report the reason of a fail, and the names of parameters that belong in the query.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { IGNORED_BODY_BYTES, MESSAGE_LENGTH } from "../../domain/limits.ts";
import { type OutputRules, saidInMessage } from "../../domain/output/kept-output.ts";
import { hideSecrets } from "../../domain/output/secrets.ts";
import { cutTo } from "../../domain/text.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type { Ping } from "../../engine/api.ts";
import { beforeParameters, isJsonObject, readBody } from "../body.ts";

const FORM = "application/x-www-form-urlencoded";
const READABLE: ReadonlySet<string> = new Set([FORM, "application/json", "text/plain"]);
/**
 * A form (`name=value&…`) in the body of a report is searched for parameters, unless the report is a fail. A longer
 * form, in bytes, is not searched.
 */
const FORM_MAX = 4_096;

/**
 * Whether the body is read. The body of a fail is read for its reason if it is a form, JSON or plain text. The body of
 * any other report is searched for parameters if it is a short form. A compressed body is never read.
 */
export function bringsWords(kind: Ping["kind"], { headers }: Request): boolean {
  const type = beforeParameters(headers.get("content-type") ?? "");
  if (headers.get("content-encoding") !== null || !READABLE.has(type)) return false;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  return kind === "fail" ? length !== 0 : type === FORM && length > 0 && length <= FORM_MAX;
}

/** Returns the report with what its body says, or 413 when the body is too large even to be ignored (R9). */
export async function withWords(ping: Ping, rules: OutputRules | null, request: Request): Promise<Ping | Refusal> {
  const bytes = await readBody(request, IGNORED_BODY_BYTES);
  if (isRefusal(bytes)) return bytes;
  const text = new TextDecoder().decode(bytes);
  const { message, names } = messageInBody(text, beforeParameters(request.headers.get("content-type") ?? ""));
  const lookalikes = [...ping.lookalikes, ...names.filter((name) => PARAMETERS.has(name)).map(misplaced)];
  const isSaid = ping.kind !== "fail" || ping.message !== null || message === null;
  if (isSaid) return { ...ping, lookalikes };
  // Secrets are hidden, because a body may hold some that its sender did not mean to report.
  const hidden = hideSecrets(message);
  const said = rules === null ? hidden : saidInMessage(hidden, rules).message;
  return { ...ping, message: said && cutTo(said, MESSAGE_LENGTH), lookalikes };
}

/** The parameters that a person may put into a body by mistake, where they have no effect. */
const PARAMETERS: ReadonlySet<string> = new Set([
  ...["schedule", "every", "timezone", "gracePeriod", "grace", "maxRuntime", "name", "label", "run_id", "duration"],
]);

/** Notes a parameter that has the right name but stands in the body, so that its sender is told. */
const misplaced = (name: string) => ({ name, meant: name });

function messageInBody(
  text: string,
  type: string,
): { readonly message: string | null; readonly names: readonly string[] } {
  // `curl -d` says of every text that it is a form, even of JSON.
  if (type === "application/json" || /^\s*[{[]/.test(text)) {
    const read: unknown = orElse(null, () => JSON.parse(text));
    if (!isJsonObject(read)) return { message: null, names: [] };
    const said = read["message"] ?? read["msg"];
    return { message: typeof said === "string" ? worded(said) : null, names: Object.keys(read) };
  }
  // If the body has several lines, the last is the reason, as in kept output (R46).
  if (type !== FORM || !/^[\w.-]+=/.test(text)) return { message: worded(text.trim().split("\n").at(-1)!), names: [] };
  const form = new URLSearchParams(text);
  const said = form.get("message") ?? form.get("msg");
  return { message: said === null ? null : worded(said), names: [...form.keys()] };
}

const worded = (text: string): string | null => text.trim() || null;
