// Fills the doors of an attack: sends browsers to the provider, and asks for questions that passkeys are to answer.

import type { Service } from "../support/executable.ts";
import type { OidcProvider } from "../support/oidc-provider.ts";
import { PASSWORD } from "../support/session.ts";
import { createAuthenticator } from "./authenticator.ts";
import type { Doors, Question, SentBrowser } from "./sign-on.ts";

/** The address of rollcall in the configuration; passkeys are made for its host. */
export const DOORS_URL = "http://localhost:8080";

/** Of each kind at a time. */
const AT_ONCE = 5;

export interface FilledDoors extends Doors {
  /** Fills them again. `cookies`: of people who have signed in. */
  refill(cookies: readonly string[]): Promise<void>;
}

export function createDoors(service: Service, provider: OidcProvider): FilledDoors {
  let sent: SentBrowser[] = [];
  let questions: Question[] = [];
  let addresses = 0;

  /** From another address each time, or the limit of tries would soon end it. */
  function asked(path: string, method: string, form: Record<string, string>, cookie = ""): Promise<Response> {
    addresses += 1;
    const from = `203.0.${addresses >> 8}.${addresses & 255}`;
    const headers = { "x-forwarded-for": from, "sec-fetch-site": "same-origin", cookie };
    const body = method === "GET" ? {} : { body: new URLSearchParams(form) };
    return fetch(service.url + path, { method, headers, redirect: "manual", ...body });
  }

  async function send(): Promise<SentBrowser[]> {
    const answer = await asked("/sign-in/oidc?to=/account", "GET", {});
    const [cookie] = /^[\w-]+=[^;]+/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
    const to = answer.headers.get("location");
    return cookie === undefined || to === null ? [] : [{ cookie, back: provider.signIn(to) }];
  }

  async function question(path: string, cookie: string | null): Promise<Question[]> {
    const answer = await asked(path, "POST", { current: PASSWORD }, cookie ?? "");
    if (answer.status !== 200) return [];
    const { challenge } = (await answer.json()) as { challenge: string };
    return [{ challenge, cookie }];
  }

  return {
    sent: () => sent,
    questions: () => questions,
    device: createAuthenticator(DOORS_URL),
    password: PASSWORD,
    refill: async (cookies) => {
      const all = Array.from({ length: AT_ONCE });
      sent = (await Promise.all(all.map(send))).flat();
      const own = cookies.map((cookie) => question("/account/passkeys/question", cookie));
      const anybodys = all.map(() => question("/sign-in/passkey/question", null));
      questions = (await Promise.all([...own, ...anybodys])).flat();
    },
  };
}
