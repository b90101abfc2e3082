// Reads the text of a mail: its subject, its words and its date (R47). Whoever knows an address may send us anything,
// so lines, parts, their depth and the length of headers are limited. What exceeds a limit is left out, and the mail
// still counts: no mail is refused for how it is built. The time that reading takes grows only with the length of the
// mail. The functions are pure.

import { decodeWords } from "postal-mime";
import { textOfHtml } from "./html-text.ts";

/** How many lines of a mail are read, in its heads and its texts together. */
const LINES = 5_000;
const PARTS = 50;
const DEPTH = 10;
/** How many characters of one header are read; the characters after them are left out. */
const HEADER_LENGTH = 2_000;
/** How many characters of HTML are read, in all parts of a mail together. */
const HTML_LENGTH = 32 * 1024;

/**
 * A mail as far as it was read. `text` is what a person would read; `html` has the words of the HTML part when there is
 * a plain text too, else it is "". `date` and `messageId` are as they were written, "" when absent. `isCut` says that
 * the text goes on beyond what was read.
 */
export type MailRead = Readonly<{
  subject: string;
  text: string;
  html: string;
  date: string;
  messageId: string;
  isCut: boolean;
}>;

const HEADERS = [
  "subject",
  "date",
  "message-id",
  "content-type",
  "content-transfer-encoding",
  "content-disposition",
] as const;
type HeaderName = (typeof HEADERS)[number];
type MailHead = Map<HeaderName, string>;

interface MailPart {
  readonly head: MailHead;
  readonly body: string[];
  /** Whether the part holds other parts (`multipart/…`) instead of text. */
  readonly isFrame: boolean;
}

/** Reads a mail. `isBeginning` says that `raw` is only its beginning. */
export function readMail(raw: Uint8Array, isBeginning = false): MailRead {
  const { parts, last, isLong } = mailParts(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1"));
  // Text outside the parts of a multipart mail counts only when no part was read, for example because the mail was cut
  // off before its first part.
  const leaves = parts.filter(({ isFrame }) => !isFrame);
  const texts = (leaves.length === 0 ? parts : leaves).flatMap((part) => partText(part) ?? []);
  const plain = texts.filter(({ isHtml }) => !isHtml).map(({ text }) => text);
  const html = texts.filter(({ isHtml }) => isHtml).map(({ text }) => text);
  const markup = html.join("\n");
  const said = textOfHtml(markup.slice(0, HTML_LENGTH));
  const text = plain.join("\n");
  const isPlain = text.trim() !== "";
  // If reading stopped in an attachment, the text before it is complete.
  const isInText = last !== null && partText(last) !== null;
  const isCut = ((isBeginning || isLong) && isInText) || markup.length > HTML_LENGTH;
  return { ...namedIn(parts[0]!.head), text: isPlain ? text : said, html: isPlain ? said : "", isCut };
}

/** Reads only the head of a mail, for a mail that is refused whatever its text says. */
export function readHead(raw: Uint8Array): MailRead {
  const { lines } = boundedLines(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1"));
  return { ...namedIn(mailHead(lines)), text: "", html: "", isCut: false };
}

const namedIn = (head: MailHead) => ({
  subject: headerWords(head.get("subject") ?? ""),
  date: head.get("date") ?? "",
  messageId: head.get("message-id") ?? "",
});

/** Splits a text into lines, at most `LINES` of them. `isLong` says that there are more. */
function boundedLines(text: string): Readonly<{ lines: Iterator<string>; isLong: boolean }> {
  const all = text.split("\n", LINES + 1);
  const looked = all.slice(0, LINES).map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  return { lines: looked.values(), isLong: all.length > LINES };
}

/**
 * Reads the headers in `HEADERS`, up to the empty line that ends the head. If a header comes twice, the first counts.
 */
function mailHead(lines: Iterator<string>): MailHead {
  const head: MailHead = new Map();
  let name: HeaderName | null = null;
  for (let line = lines.next(); !line.done && line.value !== ""; line = lines.next()) {
    if (/^[ \t]/.test(line.value)) {
      if (name !== null) head.set(name, (head.get(name)! + line.value).slice(0, HEADER_LENGTH));
      continue;
    }
    const colon = line.value.indexOf(":");
    const written = line.value.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    name = HEADERS.find((one) => one === written && !head.has(one)) ?? null;
    if (name !== null) head.set(name, line.value.slice(colon + 1, colon + 1 + HEADER_LENGTH));
  }
  return head;
}

/** Puts an empty line before a mail whose first line is no header: scripts send text without any head. */
const withHead = (text: string): string => (/^[^\r\n:][^\n:]*(?:\n|$)/.test(text) ? `\n${text}` : text);

/**
 * Splits a mail into its parts, in the order in which they come; the first is the mail itself. `last` is the part in
 * which reading stopped, `null` when it stopped after the last part. `isLong` says that the mail has more lines than
 * are read.
 */
function mailParts(raw: string): Readonly<{ parts: readonly MailPart[]; last: MailPart | null; isLong: boolean }> {
  const { lines, isLong } = boundedLines(withHead(raw));
  const open: string[] = [];
  const parts: MailPart[] = [];

  function begin(): MailPart {
    const head = mailHead(lines);
    const type = head.get("content-type") ?? "";
    const boundary = /^\s*multipart\//i.test(type) ? parameterOf(type, "boundary") : "";
    const isFrame = boundary !== "" && open.length < DEPTH;
    if (isFrame) open.push(`--${boundary}`);
    const part: MailPart = { head, body: [], isFrame };
    parts.push(part);
    return part;
  }

  let current: MailPart | null = begin();
  for (let line = lines.next(); !line.done; line = lines.next()) {
    const mayEnd = parts.length < PARTS && line.value.startsWith("--");
    const place = mayEnd ? boundaryAt(open, line.value.trimEnd()) : null;
    if (place === null) {
      current?.body.push(line.value);
      continue;
    }
    // The boundary of a part also ends the parts inside it whose own end is missing.
    open.length = place.depth + (place.isEnd ? 0 : 1);
    current = place.isEnd ? null : begin();
  }
  return { parts, last: current, isLong };
}

function boundaryAt(open: readonly string[], line: string): Readonly<{ depth: number; isEnd: boolean }> | null {
  const depth = open.findLastIndex((boundary) => line === boundary || line === `${boundary}--`);
  return depth < 0 ? null : { depth, isEnd: line !== open[depth] };
}

/** A parameter of a header, such as `charset=utf-8`, quoted or not; "" when the header has none. */
function parameterOf(header: string, name: string): string {
  const found = new RegExp(`;\\s{0,99}${name}\\s{0,9}=\\s{0,9}(?:"([^"]{0,200})"|([^\\s;"]{1,200}))`, "i").exec(header);
  return found?.[1] ?? found?.[2] ?? "";
}

/**
 * The text of a part; `null` when the part is an attachment, a picture or anything else that is no text, or is empty.
 */
function partText({ head, body }: MailPart): Readonly<{ text: string; isHtml: boolean }> | null {
  const type = (head.get("content-type") ?? "").trim();
  const isText = !/^[\w.+-]+\//.test(type) || /^text\/(?!calendar|css)/i.test(type);
  if (/^\s*attachment/i.test(head.get("content-disposition") ?? "")) return null;
  const isOther = !isText && !/^multipart\//i.test(type);
  if (isOther || body.length === 0) return null;
  const bytes = decodedBody(body, head.get("content-transfer-encoding") ?? "");
  return { text: lettersIn(bytes, parameterOf(type, "charset")), isHtml: /^text\/html/i.test(type) };
}

/** The bytes of a part's body, decoded. `lines` hold one character for each byte of the mail. */
function decodedBody(lines: readonly string[], encoding: string): Uint8Array {
  if (/base64/i.test(encoding)) return Buffer.from(lines.join(""), "base64");
  const text = lines.join("\n");
  if (!/quoted-printable/i.test(encoding)) return Buffer.from(text, "latin1");
  return withoutQuotes(Buffer.from(text, "latin1"));
}

/** Decodes quoted-printable: `=C3` is one byte, and `=` at the end of a line joins it with the next. */
function withoutQuotes(quoted: Buffer): Uint8Array {
  const bytes = Buffer.alloc(quoted.length);
  let length = 0;
  for (let at = 0; at < quoted.length; at++) {
    const byte = quoted[at]!;
    const [high, low] = byte === EQUALS ? [digitOf(quoted[at + 1]), digitOf(quoted[at + 2])] : [-1, -1];
    const isJoined = byte === EQUALS && quoted[at + 1] === NEWLINE;
    if (isJoined) at += 1;
    else if (high < 0 || low < 0) bytes[length++] = byte;
    else {
      bytes[length++] = high * 16 + low;
      at += 2;
    }
  }
  return bytes.subarray(0, length);
}

const EQUALS = 61;
const NEWLINE = 10;

/** The value of a hexadecimal digit, which is given as its ASCII code; -1 when it is no such digit. */
function digitOf(letter = 0): number {
  if (letter >= 48 && letter <= 57) return letter - 48;
  const small = letter | 32;
  return small >= 97 && small <= 102 ? small - 87 : -1;
}

/**
 * Decodes bytes in this charset, or in UTF-8 if none is named. If that fails, the bytes are read as Windows-1252, in
 * which Western mails were written before UTF-8. But if the mail says that it is UTF-8, it is read so, with marks in
 * the place of wrong bytes. A Western charset counts only for bytes that are no UTF-8: cron names ASCII, whatever its
 * jobs wrote, when it has no locale.
 */
function lettersIn(bytes: Uint8Array, charset: string): string {
  try {
    const named = new TextDecoder((charset || "utf-8") as ConstructorParameters<typeof TextDecoder>[0], {
      fatal: true,
    });
    const decoder = named.encoding === "windows-1252" ? new TextDecoder("utf-8", { fatal: true }) : named;
    return decoder.decode(bytes);
  } catch {
    return new TextDecoder(/^utf-?8$/i.test(charset) ? "utf-8" : "windows-1252").decode(bytes);
  }
}

/**
 * Decodes a header, such as `=?utf-8?q?Backup_failed?=`, to plain words. Letters that are not encoded so are read as
 * UTF-8 or else as Windows-1252.
 */
const headerWords = (header: string): string =>
  decodeWords(lettersIn(Buffer.from(header.trim(), "latin1"), "").replaceAll(/[\r\n]+/g, " "));
