// What an answer may be: one of the service's own, whose status and code stand in its table of errors and whose body
// has exactly the fields it must have, or one that the HTTP server gives by itself to what is no sound request.

import { type RefusalCode, STATUS } from "../../src/domain/errors.ts";
import type { WireAnswer } from "./connection.ts";
import type { Asked } from "./conversations.ts";
import type { Counts, Verdict } from "./front.ts";

/** Statuses that Bun answers by itself, all without a body, before a request is ours. */
const SERVERS_OWN: ReadonlyMap<number, string> = new Map([
  [400, "a head or a chunk that is no HTTP/1.1"],
  [413, "a stated length beyond any number"],
  [431, "a head beyond 32 KiB, or of nearly 200 headers"],
  [505, "a request line without a version, or with another one"],
]);

/** Codes that no request alone brings about. */
const NOT_PROVOKED: readonly RefusalCode[] = ["INTERNAL_ERROR", "STORAGE_UNAVAILABLE"];

/** Answers that have to come, and are not among these. */
export const missingFrom = (counts: Counts): string[] =>
  Object.entries(STATUS)
    .filter(([code]) => !NOT_PROVOKED.some((other) => other === code))
    .map(([code, status]) => `${status} ${code}`)
    .filter((name) => !counts.has(name));

/** A header that every answer of ours carries, and none of the server's own. */
const isOurs = ({ headers }: WireAnswer): boolean => headers.has("referrer-policy");

/** `asked` is undefined where it is not known; `isSound`: whether the service itself has to answer. */
export function judge(answer: WireAnswer, asked: Asked | undefined, isSound: boolean): Verdict {
  const isHead = asked?.method === "HEAD";
  if (answer.status === 200)
    return { name: "200", fault: isHead ? null : faultOfSuccess(answer, asked?.monitor ?? null) };
  // Only an old address with ?create=1 answers so (R45).
  if (answer.status === 201)
    return { name: "201", fault: answer.body === (isHead ? "" : "Created") ? null : "it is not Created" };
  if (!isOurs(answer)) return judgeServersOwn(answer, isSound);
  if (isHead) return judgeHead(answer);
  const body = parse(answer.body);
  if (body === null) return { name: String(answer.status), fault: "its body is no JSON object" };
  const name = `${answer.status} ${String(body["error"])}`;
  return { name, fault: faultOfError(answer, body) };
}

function judgeServersOwn({ status, body }: WireAnswer, isSound: boolean): Verdict {
  const meaning = SERVERS_OWN.get(status);
  const name = `${status} by the HTTP server: ${meaning ?? "unknown"}`;
  if (meaning === undefined) return { name, fault: "the HTTP server has answered what it is not known to answer" };
  if (isSound) return { name, fault: "the HTTP server has refused a sound request" };
  return { name, fault: body === "" ? null : "the HTTP server's own answer has a body" };
}

/** Its body, which would say more, is left out. */
function judgeHead({ status, body }: WireAnswer): Verdict {
  const isListed = Object.values<number>(STATUS).includes(status) && status < 500;
  return { name: `${status} to a HEAD`, fault: isListed && body === "" ? null : "it is not of the table of errors" };
}

/** An answer about one monitor must not tell of another. */
function faultOfSuccess({ headers, body }: WireAnswer, monitor: string | null): string | null {
  const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
  const parsed = parse(body);
  if (isJson && parsed === null) return "its body is no JSON object";
  return monitor === null || parsed?.["monitor"] === monitor ? null : `it is not about ${monitor}`;
}

const COMMON_HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
};

function faultOfError({ status, headers }: WireAnswer, body: Readonly<Record<string, unknown>>): string | null {
  const { error, message, retry_after: seconds } = body;
  if (status >= 500) return "it is a fault of ours";
  if (typeof error !== "string" || !isRefusalCode(error) || STATUS[error] !== status)
    return "it is not in the table of errors";
  if (typeof message !== "string" || message === "") return "it has no message";
  const fields = Object.keys(body).sort().join();
  if (fields !== (status === 429 ? "error,message,retry_after" : "error,message")) return `it has the fields ${fields}`;
  for (const [name, value] of Object.entries(COMMON_HEADERS)) {
    if (headers.get(name) !== value) return `its ${name} is ${headers.get(name)}`;
  }
  if (status === 401 && !headers.has("www-authenticate")) return "it does not ask for credentials";
  if (status === 405 && !headers.has("allow")) return "it does not say what is allowed";
  if (status !== 429) return null;
  const isWhole = Number.isInteger(seconds) && Number(seconds) > 0;
  return isWhole && headers.get("retry-after") === String(seconds) ? null : "it does not say when to come again";
}

const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(STATUS, code);

function parse(body: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, "latin1").toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
