// What an answer of the pages may be: a page with its headers in which no text of others became markup, a redirect to
// ourselves, or an answer that programs get, too.

import { STATUS } from "../../src/domain/errors.ts";
import type { WireAnswer } from "./connection.ts";
import type { Asked } from "./conversations.ts";
import type { Counts, Verdict } from "./front.ts";
import { judge as judgeForPrograms } from "./verdict.ts";

const REFUSED: readonly number[] = Object.values(STATUS).filter((status) => status < 500);

/** What random requests have to meet. */
const MET = [
  "a page",
  "a redirect",
  "a way to the provider",
  "a word to a script, 200",
  "a file",
  "400",
  "401",
  "403",
  "404",
  "405",
  "413",
];

export const missingFrom = (counts: Counts): string[] =>
  MET.filter((name) => !counts.has(/^\d+$/.test(name) ? `a page that is ${name}` : name));

/** `issuer`: the one address elsewhere to which a page may lead, to sign in there. */
export function judgePage(answer: WireAnswer, asked: Asked | undefined, isSound: boolean, issuer: string): Verdict {
  const { status, headers } = answer;
  if (status === 303 && headers.get("location")?.startsWith(`${issuer}/authorize?`))
    return { name: "a way to the provider", fault: faultOfHeaders(answer) };
  if (headers.get("content-type") === "application/json" && headers.get("content-security-policy") !== null)
    return { name: `a word to a script, ${status}`, fault: faultOfWord(answer) };
  if (headers.get("access-control-allow-origin") === "*" && !isPublic(headers))
    return { name: `a word to a program, ${status}`, fault: faultOfPlainWord(answer) };
  if (status === 303) return { name: "a redirect", fault: faultOfRedirect(answer) };
  if (headers.get("content-security-policy") === null) {
    if (status === 200 || status === 206 || status === 304) return { name: "a file", fault: faultOfFile(answer) };
    return judgeForPrograms(answer, asked, isSound);
  }
  const name = status === 200 ? "a page" : `a page that is ${status}`;
  return { name, fault: faultOfPage(answer, asked?.method === "HEAD") };
}

/** What every page of a person has, whatever was asked. */
const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "same-origin" };
/** What everybody may have. */
const PUBLIC_HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

function faultOfHeaders({ headers }: WireAnswer): string | null {
  for (const [name, value] of Object.entries(isPublic(headers) ? PUBLIC_HEADERS : HEADERS))
    if (headers.get(name) !== value) return `its ${name} is ${headers.get(name)}`;
  if (headers.has("x-hostile")) return "a text became a header";
  const cookie = headers.get("set-cookie");
  const isOurs = cookie === null || /^(?:__Host-)?rollcall(?:-[a-z]+)*=[\w.-]*;/.test(cookie);
  return isOurs ? null : `it sets the cookie ${cookie}`;
}

/** Whether it is a status page or a badge. */
const isPublic = (headers: Headers): boolean => headers.has("x-robots-tag");

function faultOfRedirect(answer: WireAnswer): string | null {
  const to = answer.headers.get("location");
  if (to === null || !/^\/(?![/\\])[!-~]*$/.test(to)) return `it leads to ${to}`;
  return faultOfHeaders(answer);
}

/** What a page's own script asked for: a question for a passkey, or why there is none. */
function faultOfWord(answer: WireAnswer): string | null {
  if (answer.status !== 200 && answer.status !== 400) return "it is a fault of ours";
  return faultOfHeaders(answer);
}

/** What a chat's program is told when it passes on a reply. */
function faultOfPlainWord(answer: WireAnswer): string | null {
  const { status, headers, body } = answer;
  if (status !== 200 && !REFUSED.includes(status)) return "it is a fault of ours";
  if (!headers.get("content-type")?.startsWith("text/plain"))
    return `its content-type is ${headers.get("content-type")}`;
  return INSIDE.test(body) ? `it shows the inside: ${INSIDE.exec(body)![0]}` : faultOfHeaders(answer);
}

const faultOfFile = ({ headers, body }: WireAnswer): string | null =>
  headers.get("content-type")?.startsWith("text/html")
    ? `it is a page without its headers: ${body.slice(0, 200)}`
    : null;

/** Where the server itself would show: file and line of its source, or what JavaScript calls an error. */
const INSIDE =
  /\/\$bunfs|\bat \S+ \([^)]*:\d+|\.tsx?:\d+:\d+|\b(?:Type|Range|Reference|Syntax|SQLite)Error\b|node_modules/;
/** A text of MARKUP in page-requests.ts that is not inert. */
const HOSTILE =
  /<\/?hostile|["'] ?onhostile=|(?:href|src|action)="(?:javascript:|data:text|\/?[/\\]?(?:https:)?\/\/hostile)/;

function faultOfPage(answer: WireAnswer, isHead: boolean): string | null {
  const { status, headers } = answer;
  if (status !== 200 && status !== 304 && !REFUSED.includes(status)) return "it is a fault of ours";
  const fault = faultOfHeaders(answer);
  if (fault !== null) return fault;
  if (status === 405 && !headers.has("allow")) return "it does not say what is allowed";
  const type = headers.get("content-type");
  if (type?.startsWith("text/event-stream")) return null;
  if (isHead || status === 304) return answer.body === "" ? null : "an answer without a body has one";
  if (type?.startsWith("text/csv"))
    return headers.get("content-disposition")?.startsWith("attachment;") ? null : "a list that a browser would show";
  const page = decoded(answer);
  if (isPublic(headers) && !type?.startsWith("text/html"))
    return HOSTILE.test(page) && type !== "application/json" ? "a picture with markup" : null;
  if (!type?.startsWith("text/html")) return `its content-type is ${type}`;
  if (!page.startsWith("<!doctype html><html") || !page.endsWith("</html>"))
    return `it is no whole page: ${page.slice(-200)}`;
  if (INSIDE.test(page)) return `it shows the inside: ${INSIDE.exec(page)![0]}`;
  const hostile = HOSTILE.exec(page);
  return hostile === null ? null : `a text became markup: ${page.slice(hostile.index - 100, hostile.index + 100)}`;
}

function decoded({ headers, body }: WireAnswer): string {
  const bytes = Buffer.from(body, "latin1");
  const coding = headers.get("content-encoding");
  if (coding === "zstd") return Bun.zstdDecompressSync(bytes).toString("utf8");
  if (coding === "gzip") return Buffer.from(Bun.gunzipSync(bytes)).toString("utf8");
  return bytes.toString("utf8");
}
