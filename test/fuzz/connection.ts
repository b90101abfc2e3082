// Holds one conversation with the service on a connection of its own and brings back what came of it: answers taken
// apart by their own lengths, and how it ended. It must not judge anything.

import { connect, type Socket } from "node:net";
import { type Asked, type Conversation, isSound } from "./conversations.ts";

export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** One letter a byte. */
  readonly body: string;
}

export interface Outcome {
  /** For each turn that was begun, oldest first. */
  readonly answers: readonly (readonly WireAnswer[])[];
  /** Bytes at the end that are no answer. */
  readonly rest: string;
  /** Every turn was answered; the service closed before; nothing more came; we went away as the conversation has it. */
  readonly end: "answered" | "closed" | "silent" | "left";
}

/** Whatever has to be answered is by then, or never will be. Milliseconds. */
const PATIENCE = 30_000;
/** A request that needs no answer may leave the service waiting for more; it has this long. */
const SILENCE = 500;

export function converse(port: number, conversation: Conversation): Promise<Outcome> {
  const { kind, turns } = conversation;
  const answers: (readonly WireAnswer[])[] = [];
  let received = Buffer.alloc(0);
  const { promise, resolve } = Promise.withResolvers<Outcome>();

  const timer = setTimeout(() => finish("silent"), isSound(conversation) ? PATIENCE : SILENCE);
  const socket: Socket = connect(port, "127.0.0.1", begin);
  socket.on("data", (part: Buffer) => {
    received = Buffer.concat([received, part]);
    if (!isSound(conversation)) timer.refresh();
    look(false);
  });
  socket.on("close", () => {
    look(true);
    finish("closed");
  });
  // It closes after that.
  socket.on("error", () => {});

  function begin(): void {
    const bytes = Buffer.from(turns[answers.length]!.bytes, "latin1");
    socket.write(bytes, () => kind === "broken off" && finish("left"));
  }

  /** Takes whole turns off what was received. */
  function look(isClosed: boolean): void {
    const turn = turns[answers.length];
    if (turn === undefined) return;
    const read = readAnswers(received.toString("latin1"), turn.requests, isClosed);
    const isWhole = turn.requests.length > 0 && read.answers.length >= turn.requests.length;
    if (!isWhole && !isClosed) return;
    answers.push(read.answers);
    received = Buffer.from(read.rest, "latin1");
    if (answers.length === turns.length) finish(isWhole ? "answered" : "closed");
    else if (!isClosed) begin();
  }

  function finish(end: Outcome["end"]): void {
    clearTimeout(timer);
    const isOpen = answers.length < turns.length;
    const last = isOpen ? readAnswers(received.toString("latin1"), turns[answers.length]!.requests, true) : null;
    resolve({ answers: last === null ? answers : [...answers, last.answers], rest: last?.rest ?? "", end });
    socket.destroy();
  }

  return promise;
}

const HEAD_END = "\r\n\r\n";

/**
 * The whole answers at the beginning of a text. The n-th is that to `requests[n]`: one to a HEAD ends with its head.
 * One with neither a length nor chunks ends with the connection.
 */
function readAnswers(
  text: string,
  requests: readonly Asked[],
  isClosed: boolean,
): { readonly answers: WireAnswer[]; readonly rest: string } {
  const answers: WireAnswer[] = [];
  let from = 0;
  for (;;) {
    const headEnd = text.indexOf(HEAD_END, from);
    if (headEnd < 0 || !text.startsWith("HTTP/1.1 ", from)) break;
    const brokenOff = endOfBrokenOff(text, from, headEnd);
    if (brokenOff !== null) {
      from = brokenOff;
      continue;
    }
    const { status, headers } = readHead(text.slice(from, headEnd));
    const bodyFrom = headEnd + HEAD_END.length;
    const isInterim = status < 200;
    const hasBody = !isInterim && status !== 304 && requests[answers.length]?.method !== "HEAD";
    const read = hasBody ? readBody(text, bodyFrom, headers, isClosed) : { body: "", end: bodyFrom };
    if (read === null) break;
    const { body, end } = read;
    if (!isInterim) answers.push({ status, headers, body });
    from = end;
  }
  return { answers, rest: text.slice(from) };
}

/**
 * A long answer is on its way piece by piece when the server finds that what came behind the request is no HTTP: then
 * its own answer breaks that one off. Where it begins; null: nothing is broken off.
 */
function endOfBrokenOff(text: string, from: number, headEnd: number): number | null {
  const within = text.slice(from, headEnd).indexOf("\r\nHTTP/1.1 ");
  if (within >= 0) return from + within + 2;
  if (!/\r\ntransfer-encoding: chunked\r\n/i.test(`${text.slice(from, headEnd)}\r\n`)) return null;
  for (let at = headEnd + HEAD_END.length; ; ) {
    if (text.startsWith("HTTP/1.1 ", at)) return at;
    const lineEnd = text.indexOf("\r\n", at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(text.slice(at, lineEnd), 16);
    if (!(size > 0)) return null;
    at = lineEnd + 2 + size + 2;
  }
}

interface WireBody {
  readonly body: string;
  /** Where the next answer begins. */
  readonly end: number;
}

/** The body that begins here, as its headers frame it; null: some of it is missing. */
function readBody(text: string, from: number, headers: Headers, isClosed: boolean): WireBody | null {
  // It goes on for as long as somebody listens.
  if (headers.get("content-type")?.startsWith("text/event-stream")) return { body: "", end: text.length };
  if (headers.get("transfer-encoding") === "chunked") return readChunks(text, from);
  const length = headers.get("content-length");
  if (length === null) return isClosed ? { body: text.slice(from), end: text.length } : null;
  const end = from + Number(length);
  return end > text.length ? null : { body: text.slice(from, end), end };
}

/** Long answers come in chunks; the last is empty. */
function readChunks(text: string, from: number): WireBody | null {
  let body = "";
  for (let at = from; ; ) {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    // A size that is not a number ends the search as well.
    if (!(end <= text.length)) return null;
    if (size === 0) return { body, end };
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = end;
  }
}

function readHead(head: string): Pick<WireAnswer, "status" | "headers"> {
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return { status: Number(statusLine.split(" ")[1]), headers };
}
