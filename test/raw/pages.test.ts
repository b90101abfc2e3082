// Bytes as no browser sends them, put on a socket of the executable where its pages are, with a session and without:
// what is answered, in one line each, and that nothing of it is an error of ours.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { converse, type WireAnswer } from "../fuzz/connection.ts";
import type { Conversation } from "../fuzz/conversations.ts";
import { type Folder, firstKeyOf, openFolder, report, type Service } from "../support/executable.ts";
import { firstCookieOf } from "../support/session.ts";

setDefaultTimeout(120_000);

/** COOKIE stands for that of an administrator. `answers`: a line for each request. */
type Case = readonly [title: string, sent: string, answers: readonly string[]];

const HOST = "Host: localhost\r\n";
const OWN = "Sec-Fetch-Site: same-origin\r\n";
const get = (target: string, head = ""): string => `GET ${target} HTTP/1.1\r\n${HOST}${head}\r\n`;
const signedIn = (target: string, head = ""): string => get(target, `Cookie: COOKIE\r\n${head}`);
const form = (path: string, body: string, head = `${HOST}${OWN}Cookie: COOKIE\r\n`): string =>
  `POST ${path} HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`;
const withHost = (host: string): string => `GET / HTTP/1.1\r\nHost: ${host}\r\nCookie: COOKIE\r\n\r\n`;

const PAGE = "200 text/html";
const refused = (status: number): string => `${status} text/html`;
const to = (path: string): string => `303 to ${path}`;

const HOSTS: readonly Case[] = [
  ["the usual one", signedIn("/"), [PAGE]],
  ["none, as HTTP/1.0 allows", "GET / HTTP/1.0\r\nCookie: COOKIE\r\n\r\n", [refused(400)]],
  ["an empty one", withHost(""), [refused(400)]],
  ["one that is markup", withHost("<script>"), [refused(400)]],
  ["one that is no text", withHost("\xff"), [refused(400)]],
  ["half an address", withHost("[::"), [refused(400)]],
  ["a port beyond all", withHost("localhost:99999"), [refused(400)]],
  ["a path behind it", withHost("localhost/x?y"), [refused(400)]],
  ["two of them", `GET / HTTP/1.1\r\n${HOST}Host: [::\r\nCookie: COOKIE\r\n\r\n`, [refused(400)]],
  ["none of ours, to somebody unknown", "GET /jobs HTTP/1.1\r\nHost: [::\r\n\r\n", [refused(400)]],
];

const ADDRESSES: readonly Case[] = [
  ["an absolute one of another host", signedIn("http://elsewhere.example/incidents"), [PAGE]],
  ["two slashes", signedIn("//incidents"), [refused(404)]],
  ["dots that lead elsewhere", signedIn("/assets/../incidents"), [PAGE]],
  ["encoded dots that lead nowhere", signedIn("/assets/%2e%2e/%2e%2e/etc/passwd"), [refused(404)]],
  ["an escape that is none", signedIn("/jobs/default/%"), [refused(404)]],
  ["bytes that are no text", signedIn("/jobs/default/\xff\xfe"), [refused(404)]],
  ["a NUL", signedIn("/jobs/default/%00"), [refused(404)]],
  ["a key with a slash in it", signedIn("/jobs/default/a%2Fb"), [PAGE]],
  ["a number beyond all", signedIn(`/incidents/${"9".repeat(400)}`), [refused(404)]],
  ["a number that is none", signedIn("/incidents/1e3"), [refused(404)]],
  ["30,000 letters", signedIn(`/${"a".repeat(30_000)}`), [refused(404)]],
  [
    "30,000 letters, and nobody who has signed in",
    get(`/incidents?${"a".repeat(30_000)}`),
    [to("/sign-in?to=%2Fincidents%3FLONG")],
  ],
  ["a query of 5,000 empty pairs", signedIn(`/incidents?${"&".repeat(5_000)}`), [PAGE]],
  ["a page that is none in a list", signedIn("/?page=-1&sort=__proto__&show=constructor&find=%ff"), [PAGE]],
];

const METHODS: readonly Case[] = [
  ["HEAD of a page", `HEAD / HTTP/1.1\r\n${HOST}Cookie: COOKIE\r\n\r\n`, [PAGE]],
  [
    "HEAD of news without end",
    `HEAD /live/windows?of=/ HTTP/1.1\r\n${HOST}Cookie: COOKIE\r\n\r\n`,
    ["200 text/event-stream"],
  ],
  ["DELETE of a page", `DELETE /incidents HTTP/1.1\r\n${HOST}\r\n`, [`${refused(405)} allows GET`]],
  ["TRACE with a cookie", `TRACE / HTTP/1.1\r\n${HOST}Cookie: COOKIE\r\n\r\n`, [`${refused(405)} allows GET`]],
  ["GET of what is sent by form", signedIn("/theme"), [`${refused(405)} allows POST`]],
  ["POST to a page", form("/incidents", ""), [`${refused(405)} allows GET`]],
];

const SESSIONS: readonly Case[] = [
  ["none", get("/incidents"), [to("/sign-in?to=%2Fincidents")]],
  ["a wrong one", get("/", `Cookie: rollcall-session=${"a".repeat(43)}\r\n`), [to("/sign-in?to=%2F")]],
  ["a cookie without a value", get("/", "Cookie: rollcall-session\r\n"), [to("/sign-in?to=%2F")]],
  ["one of 20,000 letters", get("/", `Cookie: rollcall-session=${"a".repeat(20_000)}\r\n`), [to("/sign-in?to=%2F")]],
  ["2,000 cookies before it", get("/", `Cookie: ${"a=b; ".repeat(2_000)}COOKIE\r\n`), [PAGE]],
  ["a cookie that is no text", get("/", "Cookie: rollcall-session=\xff\xfe\r\n"), [to("/sign-in?to=%2F")]],
  ["the name that HTTPS has", get("/", "Cookie: __Host-COOKIE\r\n"), [to("/sign-in?to=%2F")]],
  ["a theme that does not exist", signedIn("/", "Cookie: rollcall-theme=__proto__\r\n"), [PAGE]],
];

const FORMS: readonly Case[] = [
  [
    "from elsewhere",
    form("/incidents/1/ack", "", `${HOST}Cookie: COOKIE\r\nSec-Fetch-Site: cross-site\r\n`),
    [refused(403)],
  ],
  ["from nowhere", form("/incidents/1/ack", "", `${HOST}Cookie: COOKIE\r\n`), [refused(403)]],
  [
    "from an origin that is none",
    form("/incidents/1/ack", "", `${HOST}Cookie: COOKIE\r\nOrigin: null\r\n`),
    [refused(403)],
  ],
  ["of nobody", form("/incidents/1/ack", "", HOST + OWN), [refused(401)]],
  ["back to another site", form("/theme", "back=//elsewhere.example"), [to("/")]],
  ["back to another site by a backslash", form("/theme", "back=/\\elsewhere.example"), [to("/")]],
  ["back to a script", form("/theme", "back=javascript:alert(1)"), [to("/")]],
  ["back to more headers", form("/theme", "back=/a%0d%0aX-Injected:%201"), [to("/")]],
  ["back to letters beyond ASCII", form("/theme", "back=/%E6%97%A5%F0%9F%98%80"), [to("/%E6%97%A5%F0%9F%98%80")]],
  ["of 65,536 bytes", form("/theme", "x".repeat(65_536)), [to("/")]],
  ["of 65,537 bytes", form("/theme", "x".repeat(65_537)), [refused(413)]],
  [
    "of 65,537 bytes in chunks",
    `POST /theme HTTP/1.1\r\n${HOST}${OWN}Transfer-Encoding: chunked\r\n\r\n10001\r\n${"x".repeat(65_537)}\r\n0\r\n\r\n`,
    [refused(413)],
  ],
  ["of 20,000 fields", form("/theme", "a=&".repeat(20_000)), [to("/")]],
  ["that is no form", form("/theme", '{"back":"/x"}'), [to("/")]],
  ["to an incident that is none", form("/incidents/0x1/ack", ""), [refused(404)]],
  ["for longer than there is", form("/jobs/default/job/pause", "durationSeconds=1e999"), [refused(400)]],
  ["to sign in with nothing", form("/sign-in", "", HOST + OWN), [refused(403)]],
  ["with a one-time link that is none", form(`/sign-in/link/${"a".repeat(43)}`, "", HOST + OWN), [refused(404)]],
  ["and a page behind it at once", form("/theme", "back=/x") + signedIn("/incidents"), [to("/x"), PAGE]],
];

const SEVERAL: readonly Case[] = [
  ["three for the page to sign in", get("/sign-in").repeat(3), [PAGE, PAGE, PAGE]],
  ["three from somebody unknown", get("/incidents").repeat(3), Array(3).fill(to("/sign-in?to=%2Fincidents"))],
  [
    "three for pages of somebody who has signed in",
    signedIn("/account") + signedIn("/settings") + signedIn("/people"),
    [PAGE, PAGE, PAGE],
  ],
];

const portOf = ({ url }: Service): number => Number(new URL(url).port);

let folder: Folder;
let service: Service;
let cookie: string;

beforeAll(async () => {
  folder = openFolder();
  service = await folder.serve();
  cookie = await firstCookieOf(service, "Ada");
  const key = firstKeyOf(service);
  for (const job of ["job", "a%2Fb"]) await report(service, key, job, "?schedule=0%203%20*%20*%20*");
});

afterAll(() => folder[Symbol.asyncDispose]());

const TABLES: Readonly<Record<string, readonly Case[]>> = {
  "a host": HOSTS,
  "an address": ADDRESSES,
  "a method": METHODS,
  "a session": SESSIONS,
  "a form": FORMS,
  "R33: requests sent at once on one connection": SEVERAL,
};

for (const [what, cases] of Object.entries(TABLES)) {
  describe(what.startsWith("R") ? what : `${what} of a page`, () => {
    test.each(cases.map((row) => [row[0], row] as const))("%s", async (_, [, sent, expected]) => {
      const methods = [...sent.matchAll(/(?:^|\n)([A-Z]+) \S+ HTTP/g)].map(([, method]) => method!);
      const requests = expected.map((_, place) => ({ method: methods[place] ?? "GET", monitor: null }));
      const bytes = sent.replaceAll("COOKIE", cookie);
      const conversation: Conversation = { kind: "sound", turns: [{ bytes, requests }] };
      await untilNextTurn();
      const { answers } = await converse(portOf(service), conversation);
      expect(answers.flat().map(inOneLine)).toEqual([...expected]);
    });
  });
}

/**
 * Waits until the executable is in a later turn of its event loop. Bun takes a connection that comes quickly enough
 * into the turn of the one before, and a turn makes only a few pages at once (R33). A further one waits, and Bun closes
 * its connection when the next request arrives on it. This request uses a connection that is open already, so its turn
 * is a new one.
 */
async function untilNextTurn(): Promise<void> {
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
}

test("of all these none was an error of ours, nor of those who went away in the middle of a form", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const half = `POST /theme HTTP/1.1\r\n${HOST}${OWN}Content-Length: 100\r\n\r\nback`;
  const socket = connect(portOf(service), "127.0.0.1", () =>
    socket.write(half, () => setTimeout(() => socket.destroy(), 50)),
  );
  socket.on("close", () => resolve());
  await promise;
  // What comes later is answered later, and the log has it in that order.
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(await service.end("SIGTERM")).toBe(0);
  expect(service.facts("request_failed")).toEqual([]);
});

function inOneLine({ status, headers }: WireAnswer): string {
  const [location, allow] = [headers.get("location"), headers.get("allow")];
  if (location !== null) return to(location.replace(/a{1000,}/, "LONG"));
  const type = headers.get("content-type")?.split(";")[0];
  return allow === null ? `${status} ${type}` : `${status} ${type} allows ${allow}`;
}
