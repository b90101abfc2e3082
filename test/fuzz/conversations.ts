// What is put on one connection: sound requests one after the other, or such that no HTTP library would send: damaged,
// broken off, pipelined, too large, framed by lies, or no HTTP at all.

import type { Random } from "../simulation/random.ts";
import { isEndless } from "./page-map.ts";
import { type HttpRequest, render } from "./request.ts";

/** Everything that is said to the service on one connection. */
export interface Conversation {
  readonly kind: Kind;
  readonly turns: readonly Turn[];
}

/** Sent in one go; the next turn follows when every answer to this one has come. */
export interface Turn {
  /** One letter a byte. */
  readonly bytes: string;
  /** The requests in it, as far as they are known. */
  readonly requests: readonly Asked[];
}

/** What must be known of a request to read its answer. */
export type Asked = Pick<HttpRequest, "method" | "monitor">;

export type Kind = "sound" | "kept alive" | "damaged" | "broken off" | "pipelined" | "large head" | "lying" | "no HTTP";

/** Whether every turn has to be answered, and by the service itself. */
export const isSound = ({ kind }: Conversation): boolean => kind === "sound" || kind === "kept alive";

/** Draws one sound request. */
export type DrawRequest = (random: Random) => HttpRequest;

type Draw = (random: Random, drawRequest: DrawRequest) => readonly Turn[];

const KINDS: readonly (readonly [weight: number, kind: Kind, draw: Draw])[] = [
  [52, "sound", drawSound],
  [8, "kept alive", drawKeptAlive],
  [15, "damaged", drawDamaged],
  [5, "broken off", drawBrokenOff],
  [6, "pipelined", drawPipelined],
  [4, "large head", drawLargeHead],
  [6, "lying", drawLying],
  [4, "no HTTP", drawNoHttp],
];

export function drawConversation(random: Random, drawRequest: DrawRequest): Conversation {
  const [kind, draw] = random.weighted(KINDS.map(([weight, name, turns]) => [weight, [name, turns] as const]));
  return { kind, turns: draw(random, drawRequest) };
}

const turnOf = (request: HttpRequest): Turn => ({ bytes: render(request), requests: [request] });

/** What a damaged request asks for nobody knows. */
const unknown = ({ method }: HttpRequest): Asked => ({ method, monitor: null });

function drawSound(random: Random, drawRequest: DrawRequest): readonly Turn[] {
  return [turnOf(drawRequest(random))];
}

function drawKeptAlive(random: Random, drawRequest: DrawRequest): readonly Turn[] {
  const requests = Array.from({ length: random.whole(2, 4) }, () => drawRequest(random));
  return requests.map((request) => turnOf(ending(request)));
}

/** The HTTP server takes whatever follows a CONNECT for the tunnel's own, and some answers never end. */
const ending = (request: HttpRequest): HttpRequest => {
  if (isEndless(request.target)) return { ...request, target: "/" };
  return request.method === "CONNECT" ? { ...request, method: "PUT" } : request;
};

/** Its answer tells by its length what it is; that of a HEAD does so only to who knows that it was one. */
const drawNoHead = (random: Random, drawRequest: DrawRequest): HttpRequest => {
  const request = drawRequest(random);
  return request.method === "HEAD" ? { ...request, method: "GET" } : request;
};

/** Bytes that parsers stumble over. */
const STUMBLES = [
  "\0",
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  " ",
  "\t",
  ":",
  "\x7f",
  "\xff",
  "\xc3\x28",
  "\x1b[2J",
  "%",
  "0",
  ";",
];

/** Hardly ever more than two places, since the first that matters hides the others. */
function drawDamaged(random: Random, drawRequest: DrawRequest): readonly Turn[] {
  const request = drawNoHead(random, drawRequest);
  let bytes = render(request);
  do bytes = damage(random, bytes);
  while (random.chance(0.3));
  return [{ bytes, requests: [unknown(request)] }];
}

function damage(random: Random, bytes: string): string {
  // The front is where most of the meaning is.
  const at = random.whole(0, Math.min(bytes.length, random.chance(0.5) ? 40 : 4_000));
  const length = random.whole(1, 8);
  return random.weighted<() => string>([
    [4, () => bytes.slice(0, at) + random.pick(STUMBLES) + bytes.slice(at)],
    [3, () => bytes.slice(0, at) + String.fromCharCode(random.whole(0, 255)) + bytes.slice(at + 1)],
    [2, () => bytes.slice(0, at) + bytes.slice(at + length)],
    [1, () => bytes.slice(0, at) + bytes.slice(at, at + length).repeat(random.pick([2, 2, 1_000])) + bytes.slice(at)],
    [1, () => bytes.replaceAll("\r\n", "\n")],
    [
      1,
      () =>
        bytes.replace(" HTTP/1.1", random.pick([" HTTP/1.0", " HTTP/2.0", " HTTP/9.9", "", " http/1.1", " HTTP/1.1 "])),
    ],
    [1, () => bytes.replace(/^\S+/, random.pick(["get", "FOO", "", "G\0T", "X".repeat(5_000)]))],
    [
      1,
      () =>
        bytes.replace(
          /Host: \S*\r\n/,
          random.pick(["", "Host: a\r\nHost: b\r\n", "Host : a\r\n", "Host: a\r\n b\r\n"]),
        ),
    ],
  ])();
}

/** Who sends it goes away before its end. */
function drawBrokenOff(random: Random, drawRequest: DrawRequest): readonly Turn[] {
  const request = drawNoHead(random, drawRequest);
  const bytes = render({ ...request, body: request.body === "" ? "abc" : request.body });
  return [{ bytes: bytes.slice(0, random.whole(0, bytes.length - 1)), requests: [] }];
}

function drawPipelined(random: Random, drawRequest: DrawRequest): readonly Turn[] {
  const requests = Array.from({ length: random.whole(2, 5) }, () => drawRequest(random));
  return [{ bytes: requests.map(render).join(""), requests }];
}

function drawLargeHead(random: Random, drawRequest: DrawRequest): readonly Turn[] {
  const request = drawNoHead(random, drawRequest);
  const size = random.pick([8_000, 15_000, 17_000, 31_000, 33_000, 70_000, 400_000]);
  const padding = "a".repeat(size);
  const large = random.weighted<() => HttpRequest>([
    [3, () => ({ ...request, head: [...request.head, `X-Padding: ${padding}`] })],
    [2, () => ({ ...request, target: `${request.target}${request.target.includes("?") ? "&" : "?"}x=${padding}` })],
    [1, () => ({ ...request, target: `/${padding}` })],
    [1, () => ({ ...request, target: `/ping/${"a/".repeat(size / 2)}` })],
    [
      2,
      () => ({ ...request, head: [...request.head, ...Array.from({ length: size / 100 }, (_, i) => `X-${i}: ${i}`)] }),
    ],
  ])();
  return [{ bytes: render(large), requests: [unknown(request)] }];
}

const LIES = [
  "Content-Length: abc",
  "Content-Length: -1",
  "Content-Length: +3",
  "Content-Length: 3, 3",
  "Content-Length: 3\r\nContent-Length: 4",
  "Content-Length: 3\r\nTransfer-Encoding: chunked",
  "Content-Length: 9007199254740993",
  "Content-Length: 99999999999999999999",
  "Content-Length: 1048577",
  "Content-Length: 100",
  "Content-Length: 2",
  "Transfer-Encoding: gzip",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding:\tchunked",
  "Transfer-Encoding: CHUNKED",
  "Expect: 100-continue\r\nContent-Length: 3",
  "Expect: nonsense\r\nContent-Length: 3",
];

const LYING_BODIES = [
  "abc",
  "",
  "3\r\nabc\r\n0\r\n\r\n",
  "3;extension=1\r\nabc\r\n0\r\n\r\n",
  "3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n",
  "zz\r\nabc\r\n0\r\n\r\n",
  "ffffffffffffffff\r\nabc",
  "-1\r\nabc\r\n0\r\n\r\n",
  "3\nabc\n0\n\n",
  "3\r\nabcdef\r\n0\r\n\r\n",
  "0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
];

/** Frames that do not fit their body. */
function drawLying(random: Random, drawRequest: DrawRequest): readonly Turn[] {
  const request = drawNoHead(random, drawRequest);
  const lines = [`${request.method} ${request.target} HTTP/1.1`, ...request.head, random.pick(LIES)];
  const bytes = `${lines.join("\r\n")}\r\n\r\n${random.pick(LYING_BODIES)}`;
  return [{ bytes, requests: [unknown(request)] }];
}

const NO_HTTP = [
  "\r\n\r\n",
  "\0\0\0\0\r\n\r\n",
  "GET /healthz\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "GET  HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "GET healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${"\x5a".repeat(500)}`,
  "SSH-2.0-OpenSSH_9.9\r\n",
  "EHLO localhost\r\n",
  "*1\r\n$4\r\nPING\r\n",
];

function drawNoHttp(random: Random): readonly Turn[] {
  const noise = (): string =>
    Array.from({ length: random.whole(1, 2_000) }, () => String.fromCharCode(random.whole(0, 255))).join("");
  return [{ bytes: random.chance(0.6) ? random.pick(NO_HTTP) : noise(), requests: [] }];
}
