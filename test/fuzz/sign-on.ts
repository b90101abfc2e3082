// Random requests to the doors that need more than a password: the way to a provider and back, and passkeys. What they
// send is what a provider and a device would have answered, as it is and damaged.

import type { Random } from "../simulation/random.ts";
import type { Authenticator, DeviceAnswer } from "./authenticator.ts";
import { drawText, encode } from "./ingredients.ts";

/** A browser that was sent to the provider: its cookie, and the address that the provider leads it back to. */
export interface SentBrowser {
  readonly cookie: string;
  readonly back: string;
}

/**
 * A question that a passkey is to answer; `cookie`: of the session that asked to make one, null: anybody asked to sign
 * in.
 */
export interface Question {
  readonly challenge: string;
  readonly cookie: string | null;
}

export interface Doors {
  /** Each is used once or twice, and comes again now and then. */
  readonly sent: () => readonly SentBrowser[];
  readonly questions: () => readonly Question[];
  readonly device: Authenticator;
  readonly password: string;
}

export interface DoorRequest {
  readonly method: string;
  readonly target: string;
  /** Null: whichever. */
  readonly cookie: string | null;
  /** As fields of a form. */
  readonly form: readonly (readonly [name: string, value: string])[];
}

const ODD: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  true,
  "",
  "\u0000",
  [],
  {},
  [[]],
  { length: 1 },
  "a".repeat(30_000),
];

/** `hostile`: a text that must not become markup. */
export function drawDoorRequest(random: Random, doors: Doors, hostile: () => string): DoorRequest {
  return random.weighted<() => DoorRequest>([
    [1, () => ask("GET", `/sign-in/oidc?to=${encode(random, random.chance(0.5) ? "/account" : hostile())}`)],
    [4, () => back(random, doors, hostile)],
    [1, () => ask("POST", "/sign-in/passkey/question")],
    [
      2,
      () => ask("POST", "/account/passkeys/question", [["current", random.chance(0.8) ? doors.password : hostile()]]),
    ],
    [3, () => answered(random, doors, hostile)],
    [1, () => ask("POST", "/account/passkeys/remove", [["passkey", random.pick(["1", "2", "0", "x", hostile()])]])],
  ])();
}

const ask = (method: string, target: string, form: DoorRequest["form"] = [], cookie: string | null = null) => ({
  method,
  target,
  cookie,
  form,
});

function back(random: Random, { sent }: Doors, hostile: () => string): DoorRequest {
  const browsers = sent();
  if (browsers.length === 0) return ask("GET", `/sign-in/oidc/callback?code=${encode(random, hostile())}`);
  const browser = random.pick(browsers);
  const [path = "", query = ""] = browser.back.split("?");
  const pairs = [...new URLSearchParams(query)].filter(() => random.chance(0.95));
  const changed = pairs.map(([name, value]) => `${name}=${random.chance(0.85) ? value : encode(random, hostile())}`);
  const more = ["error", "error_description", "iss", "response", "id_token", "token", "code", "state", "session_state"];
  while (random.chance(0.25))
    changed.push(`${random.pick(more)}=${encode(random, random.chance(0.5) ? "x" : hostile())}`);
  const { cookie } = random.chance(0.9) ? browser : random.pick(browsers);
  return ask("GET", `${path}?${changed.join("&")}`, [], random.chance(0.95) ? cookie : "a=b");
}

function answered(random: Random, { questions, device }: Doors, hostile: () => string): DoorRequest {
  const asked = questions();
  const { challenge, cookie } = asked.length === 0 ? { challenge: hostile(), cookie: null } : random.pick(asked);
  const isMade = cookie === null ? random.chance(0.1) : random.chance(0.9);
  const answer = isMade ? device.made(challenge) : device.signed(challenge, random.whole(1, 3));
  const text = random.chance(0.05)
    ? drawText(random)
    : JSON.stringify(random.chance(0.5) ? answer : damaged(random, answer));
  const called = random.chance(0.5) ? hostile() : "a device";
  return isMade
    ? ask(
        "POST",
        "/account/passkeys",
        [
          ["answer", text],
          ["called", called],
        ],
        cookie,
      )
    : ask(
        "POST",
        "/sign-in/passkey",
        [
          ["answer", text],
          ["to", random.chance(0.5) ? "/account" : hostile()],
        ],
        cookie,
      );
}

/** A part of it is left out, something else, or has another byte. */
function damaged(random: Random, answer: DeviceAnswer): object {
  const change = (all: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const name = random.pick(Object.keys(all));
    const value = all[name];
    const isText = typeof value === "string" && value !== "" && random.chance(0.6);
    return { ...all, [name]: isText ? otherByte(random, value) : random.pick(ODD) };
  };
  const { response, ...others } = answer;
  return random.chance(0.7) ? { ...others, response: change(response) } : change({ ...others, response });
}

function otherByte(random: Random, text: string): string {
  const bytes = Buffer.from(text, "base64url");
  const place = random.whole(0, bytes.length - 1);
  if (random.chance(0.2)) return bytes.subarray(0, place).toString("base64url");
  bytes[place] = random.whole(0, 255);
  return bytes.toString("base64url");
}
