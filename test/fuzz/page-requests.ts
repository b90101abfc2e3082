// Random requests to pages, by somebody who has signed in, as somebody else, or as nobody: routes with any text in
// their places, links and forms as pages show them and changed, and such as no page has. All are sound HTTP.

import type { Random } from "../simulation/random.ts";
import { drawBody, drawContentType, drawHeaders, drawPiece, drawText, encode } from "./ingredients.ts";
import type { PageForm, PageMap, PageRoute } from "./page-map.ts";
import type { HttpRequest } from "./request.ts";
import { type Doors, drawDoorRequest } from "./sign-on.ts";

/** What is known of the service that is attacked. */
export interface PageWorld {
  readonly map: PageMap;
  /** Cookies of people who have signed in; they may end in the course of the attack. */
  readonly cookies: () => readonly string[];
  /** Texts that stand for something there: applications, jobs. */
  readonly names: readonly string[];
  readonly doors: Doors;
}

/** Where one of these came through as it is, it would be markup; see page-verdict.ts. */
const MARKUP = [
  '"><hostile x="',
  "'><hostile>",
  "<hostile></hostile>",
  '" onhostile="',
  "' onhostile='",
  "</title><hostile>",
  "</script><hostile>",
  "--><hostile>",
  "javascript:hostile",
  "data:text/html,<hostile>",
  "//hostile.example/",
  "/\\hostile.example",
  "https://hostile.example/",
  "/日本/\u202e",
  "/\u{1f600}",
  "/a\r\nX-Hostile: 1",
  "/a\u0000b",
];

const METHODS = ["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "SEARCH"];

/** Ids that are none, and some that are. */
const IDS = ["0", "1", "2", "3", "7", "12", "-1", "01", "1.5", "1e3", "0x1", " 1", "NaN", "Infinity", "null"];
const LONG_IDS = ["999999999999999", "9007199254740993", "1e999", "9".repeat(400)];

const FIELDS = ["back", "to", "name", "password", "again", "current", "session", "seconds", "destination", "theme"];
const WORDS = ["all", "open", "past", "sent", "trouble", "name", "last", "source", "application", "2", "true", "on"];
const QUERIES = ["find", "show", "group", "sort", "page", "app", "before", "seen", "to", "day", "state", "code"];

/** A form may have this many bytes. */
const FORM_BYTES = 64 * 1_024;
const TARGET_BYTES = 12_000;

/** What the attack needs is revoked or taken away there, so it names none that there is. */
const isOfKeys = (path: string): boolean => /^\/(?:keys|applications)/.test(path);

/** Otherwise hardly anybody would be signed in. */
const endsSessions = (path: string): boolean => /^\/(?:sign-out|account\/)/.test(path);

export function drawPageRequest(random: Random, world: PageWorld): HttpRequest {
  const { map } = world;
  const request = random.weighted<() => HttpRequest>([
    [4, () => ofRoute(random, random.pick(map.routes), world)],
    [2, () => ofForm(random, random.pick(map.forms), world)],
    [4, () => plain("GET", changed(random, random.pick(map.links)))],
    [2, () => atDoor(random, world)],
    [1, () => plain("GET", `/${Array.from({ length: random.whole(0, 4) }, () => drawPiece(random)).join("/")}`)],
  ])();
  const method = random.chance(0.05) ? random.pick(METHODS) : request.method;
  const isSent = method !== "GET" && method !== "HEAD";
  const host = random.chance(0.97) ? "localhost" : random.pick(["", "a b", "h/x?y", "[::", "\xff", "<hostile>", '"']);
  const head = [
    ...(random.chance(0.98) ? [`Host: ${host}`] : [`Host: ${host}:${random.pick(["", "0", "99999", "x"])}`]),
    ...request.head,
    ...(bringsCookie(request) || (endsSessions(request.target) && random.chance(0.95))
      ? []
      : drawCookie(random, world.cookies())),
    ...(isSent || random.chance(0.1) ? [drawOrigin(random)] : []),
    ...(random.chance(0.3)
      ? [random.pick(["Accept-Encoding: zstd", "Accept-Encoding: gzip", "HX-Request: true"])]
      : []),
    ...drawHeaders(random),
  ];
  return { ...request, method, target: request.target.slice(0, TARGET_BYTES), head };
}

const bringsCookie = ({ head }: HttpRequest): boolean => head.some((line) => line.startsWith("Cookie: "));

/** From another address each time, or the limit of tries would soon end it. */
function atDoor(random: Random, { doors }: PageWorld): HttpRequest {
  const { method, target, cookie, form } = drawDoorRequest(random, doors, () => drawValue(random));
  const fields = form.map(([name, value]) => `${encode(random, name)}=${encode(random, value)}`).join("&");
  const head = [
    `X-Forwarded-For: 10.${random.whole(0, 255)}.${random.whole(0, 255)}.${random.whole(0, 255)}`,
    ...(cookie === null ? [] : [`Cookie: ${cookie}`]),
    ...(form.length === 0 ? [] : ["Content-Type: application/x-www-form-urlencoded"]),
  ];
  return { ...plain(method, target), head, body: fields };
}

const plain = (method: string, target: string): HttpRequest => ({
  method,
  target,
  head: [],
  body: "",
  isChunked: false,
  monitor: null,
});

function ofRoute(random: Random, { method, path }: PageRoute, world: PageWorld): HttpRequest {
  const isNamed = random.chance(0.5);
  const target = path.replace(/:\w+|\*/g, () => {
    if (isOfKeys(path)) return random.pick([...LONG_IDS, "0", "-1", "x", "1e9"]);
    return isNamed ? random.pick([...IDS.map(encodeURIComponent), ...world.names]) : drawPart(random);
  });
  const request = plain(method, random.chance(0.4) ? `${target}?${drawPageQuery(random)}` : target);
  return method === "GET" ? request : { ...request, ...drawForm(random, new Map()) };
}

function ofForm(random: Random, { method, path, fields }: PageForm, world: PageWorld): HttpRequest {
  if (method === "GET") return plain("GET", changed(random, `${path}?${new URLSearchParams([...fields])}`));
  // As it stands it would take away what is needed.
  if (isOfKeys(path)) return ofRoute(random, random.pick(world.map.routes), world);
  return { ...plain(method, path), ...drawForm(random, fields) };
}

/** An address, as it stands or with a part of it changed. */
function changed(random: Random, target: string): string {
  if (random.chance(0.4)) return target;
  const [path = "", query = ""] = target.split("?");
  if (random.chance(0.4)) return `${path}?${drawPageQuery(random)}`;
  const segments = path.split("/");
  const place = random.whole(0, segments.length - 1);
  segments[place] = random.chance(0.5) ? drawPart(random) : `${segments[place]}${drawPart(random)}`;
  return `${segments.join("/").replace(/^\/*/, "/")}${query === "" ? "" : `?${query}`}`;
}

const drawPart = (random: Random): string =>
  random.weighted<() => string>([
    [3, () => encode(random, random.pick(MARKUP))],
    [2, () => random.pick([...IDS, ...LONG_IDS]).replaceAll(" ", "%20")],
    [5, () => drawPiece(random)],
  ])();

const drawValue = (random: Random): string =>
  random.weighted<() => string>([
    [4, () => random.pick(MARKUP)],
    [3, () => random.pick([...IDS, ...LONG_IDS])],
    [3, () => random.pick(WORDS)],
    [3, () => drawText(random)],
  ])();

const drawPageQuery = (random: Random): string =>
  Array.from({ length: random.whole(0, 5) }, () => {
    const name = random.chance(0.85) ? random.pick(QUERIES) : drawPiece(random);
    return random.chance(0.9) ? `${name}=${encode(random, drawValue(random))}` : `${name}=${drawPiece(random)}`;
  }).join(random.pick(["&", "&", "&&", ";"]));

/** A form with these fields, some of them changed, doubled or left out; or a body that is none. */
function drawForm(
  random: Random,
  fields: ReadonlyMap<string, string>,
): Pick<HttpRequest, "head" | "body" | "isChunked"> {
  const isChunked = random.chance(0.1);
  if (random.chance(0.1))
    return { head: [`Content-Type: ${drawContentType(random)}`], body: drawBody(random), isChunked };
  const kept = [...fields].filter(() => random.chance(0.9));
  const pairs = kept.map(([name, value]): [string, string] => [name, random.chance(0.6) ? value : drawValue(random)]);
  for (let more = random.whole(0, fields.size === 0 ? 4 : 1); more > 0; more--)
    pairs.push([random.pick(FIELDS), drawValue(random)]);
  const form = pairs.map(([name, value]) => `${encode(random, name)}=${encode(random, value)}`).join("&");
  const isLarge = random.chance(0.03);
  const body = isLarge ? `${form}&x=${"x".repeat(random.pick([FORM_BYTES - form.length - 3, FORM_BYTES]))}` : form;
  return { head: ["Content-Type: application/x-www-form-urlencoded"], body, isChunked };
}

function drawCookie(random: Random, cookies: readonly string[]): string[] {
  const hostile = (): string =>
    random.pick([
      `rollcall-session=${drawText(random).replace(/[\r\n\0]/g, "")}`,
      "rollcall-session=",
      "rollcall-session",
      `rollcall-session=${"a".repeat(43)}`,
      `__Host-rollcall=${"a".repeat(43)}`,
      "rollcall-theme=__proto__; rollcall-theme=<hostile>",
      ";;;=;=a;",
      `${"a=b; ".repeat(2_000)}`,
    ]);
  return random.weighted<() => string[]>([
    [6, () => [`Cookie: ${random.pick(cookies)}`]],
    [1, () => [`Cookie: a=b; ${random.pick(cookies)}; rollcall-theme=${random.pick(["dark", "light", "none"])}`]],
    [2, () => []],
    [1, () => [`Cookie: ${Buffer.from(hostile(), "utf8").toString("latin1")}`]],
  ])();
}

/** How a browser says from where a form was sent. */
const drawOrigin = (random: Random): string =>
  random.weighted([
    [16, "Sec-Fetch-Site: same-origin"],
    [1, "Sec-Fetch-Site: cross-site"],
    [1, "Sec-Fetch-Site: none"],
    [1, "Origin: http://localhost"],
    [1, "Origin: https://hostile.example"],
    [1, "Origin: null"],
    [1, "Origin: \xff"],
  ]);
