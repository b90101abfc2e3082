// Sends one report and says what became of it. Only a response in rollcall's own words counts, because login portals
// and proxies answer too.

import { errorMessage, type RefusalCode } from "../domain/errors.ts";
import type { ProxyEnvironment } from "../domain/proxy.ts";
import { SECOND } from "../domain/time.ts";
import { codeOf, orElse } from "../domain/unless-missing.ts";
import { durationInWords } from "../domain/wording/spoken-time.ts";
import type { Moment } from "./client-moment.ts";
import { type Report, type ReportServer, requestOf } from "./client-report.ts";

export type Sent =
  | { readonly is: "taken" }
  /** The server will never take this report. It refuses it with the sentence `why`. */
  | { readonly is: "refused"; readonly why: string }
  /**
   * The report is to be sent again later. Perhaps it was taken and only the response was lost. `concerns` is `one` when
   * another report may be taken; `all` when none is taken now; `settings` when none is taken until the key or the
   * address is corrected.
   */
  | {
      readonly is: "waiting";
      readonly why: string;
      readonly concerns: "one" | "all" | "settings";
      /** After how many milliseconds the server takes more reports; `null` when it does not say. */
      readonly again: number | null;
    };

/** The error codes for a key that was revoked, replaced or suspended, and for a wrong address. */
const OF_SETTINGS: ReadonlySet<unknown> = new Set<RefusalCode>([
  "AUTHENTICATION_REQUIRED",
  "ACCESS_DENIED",
  "HTTPS_REQUIRED",
  "NOT_FOUND",
]);
const TEMPORARY = new Set([408, 425]);
const TOO_MANY = 429;
/**
 * The statuses that say nothing about one report: the server, or a proxy before it, would answer any other report the
 * same now.
 */
const OF_ALL = new Set([...TEMPORARY, 502, 503, 504]);
/** How many bytes of a response are read. No response of rollcall is longer. */
const RESPONSE_BYTES_MAX = 64 * 1024;

export type SendReport = (report: Report, within: AbortSignal) => Promise<Sent>;

export const createReportSender =
  (server: ReportServer, now: () => Moment, userAgent: string, environment: ProxyEnvironment): SendReport =>
  async (report, within) => {
    try {
      const response = await fetch(requestOf(report, server, now(), userAgent), {
        signal: within,
        // If Bun could not decompress the response, it would print on the job's stderr.
        decompress: false,
        ...(server.authority === null ? {} : { tls: { ca: server.authority } }),
      });
      return judged(response, await jsonOf(response));
    } catch (error) {
      if (within.aborted) return waiting("the server did not answer in time");
      return waiting(await connectionWords(error, server.url, environment));
    }
  };

const waiting = (why: string, concerns: "one" | "all" | "settings" = "all", again: number | null = null): Sent => ({
  is: "waiting",
  why,
  concerns,
  again,
});

/**
 * Says in a sentence why the server could not be reached. Bun's own messages are for programmers, and quote the whole
 * address.
 */
async function connectionWords(error: unknown, url: string, environment: ProxyEnvironment): Promise<string> {
  const code = codeOf(error) ?? errorMessage(error);
  if (/ALTNAME/.test(code)) return `the certificate of ${url} is for another name: set url to that one`;
  if (/CERT|SIGN|ISSUER|VERIFY/.test(code))
    return `the certificate of ${url} is not to be trusted (${code}): authority_file names an authority of your own`;
  const { requestFailureInWords } = await import("../domain/proxy.ts");
  const why = requestFailureInWords({ code, message: errorMessage(error) }, url, environment);
  return `${url} cannot be reached: ${why ?? code}`;
}

function judged({ ok, status, headers }: Response, body: unknown): Sent {
  if (status >= 300 && status < 400)
    return waiting(`the server sends us on to ${headers.get("location")}: set url to the address that answers`);
  const said = responseFields(body);
  if (ok)
    return "monitor" in said && "status" in said
      ? { is: "taken" }
      : waiting("no rollcall answers at this address", "one");
  const { error, message } = said;
  const isRefusal = typeof error === "string" && typeof message === "string";
  if (status === TOO_MANY) return waitBeforeNext(headers);
  if (status >= 500 || TEMPORARY.has(status) || !isRefusal)
    return waiting(`the server answered ${status}`, OF_ALL.has(status) ? "all" : "one");
  const why = `${error}: ${message}`;
  return OF_SETTINGS.has(error) ? waiting(why, "settings") : { is: "refused", why };
}

function waitBeforeNext(headers: Headers): Sent {
  const said = headers.get("retry-after") ?? "";
  const again = /^\d{1,9}$/.test(said) ? Number(said) * SECOND : null;
  const when = again === null ? "later" : `in ${durationInWords(again)}`;
  return waiting(`it is too much for the server for now (429); it takes more ${when}`, "all", again);
}

const responseFields = (body: unknown): Record<string, unknown> =>
  typeof body === "object" && body !== null ? { ...body } : {};

/** Reads the body as JSON; `null` when it is no JSON, or longer than rollcall's responses are. */
async function jsonOf(response: Response): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > RESPONSE_BYTES_MAX) return null;
    pieces.push(piece);
  }
  return orElse(null, () => JSON.parse(Buffer.concat(pieces).toString("utf8")));
}
