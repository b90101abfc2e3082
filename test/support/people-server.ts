// The pages over the real engine, with a clock and a log that the test reads, and browsers that keep cookies.

import { after } from "../../src/cli/clock.ts";
import type { Refusal } from "../../src/domain/errors.ts";
import { type PasskeySite, passkeySite } from "../../src/domain/people/sign-in.ts";
import { createFailureLog } from "../../src/http/failure-log.ts";
import type { Server } from "../../src/http/server.ts";
import { signedInViewers } from "../../src/web/account/cookie.ts";
import type { Oidc } from "../../src/web/account/oidc.ts";
import { hashPassword } from "../../src/web/account/passwords.ts";
import { createPages } from "../../src/web/pages.ts";
import { openService, type Service } from "./engine.ts";
import { type PublicServerChanges, startPublicServer } from "./public-server.ts";
import { granted } from "./service.ts";

export const PASSWORD = "correct horse battery";

export interface Browser {
  /** The cookies that the browser would send, by their names. */
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Page>;
  /** Sends a form as our own page does, unless `headers` say otherwise. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Page>;
}

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The address of a redirect; `null` when there is none. */
  readonly to: string | null;
}

export interface PeopleServer extends AsyncDisposable {
  readonly service: Service;
  readonly url: string;
  browser(headers?: Record<string, string>): Browser;
  /** Adds a person with PASSWORD. */
  person(name: string, more?: { role?: "viewer" | "operator" | "admin"; applications?: string }): void;
}

const HASH = await hashPassword(PASSWORD);

/**
 * `header` is the one in which a proxy names the person, `secret` is what the proxy must send too, and `siteAt` returns
 * where passkeys work once the server's address is known.
 */
export function startPeople(
  changes: PublicServerChanges = {},
  header: string | null = null,
  oidc: Oidc | null = null,
  secret: string | null = null,
  siteAt: (url: () => string) => PasskeySite | Refusal = () => passkeySite(null),
): PeopleServer {
  const service = openService();
  const { engine } = service;
  const clock = { now: () => service.now, monotonic: () => service.now };
  const log = (level: "debug" | "info" | "warn" | "error", event: string, fields = {}) =>
    void (service.logged as { level: string; event: string; fields: object }[]).push({ level, event, fields });
  const noteWrongSecret = createFailureLog(clock, log, "proxy_secret_wrong");
  const server: Server = startPublicServer(engine, {
    clock,
    pages: createPages({
      engine,
      clock,
      after,
      log,
      version: "1.2.3",
      commandLine: "rollcall",
      takePostedReply: () => ({}),
      inForce: { settings: [], sources: [], onDisk: () => ({ kind: "read", changes: [] }) },
      troubles: engine.troubles,
      selfPing: () => null,
      statusPages: [],
      address: null,
      mailDomain: null,
      viewersAt: signedInViewers(
        engine.people,
        header === null ? null : { header, secret, noteFailure: noteWrongSecret },
      ),
      oidc,
      passkeySite: siteAt(() => server.url),
    }),
    ...changes,
  });
  return {
    service,
    url: server.url,
    browser: (headers = {}) => openBrowser(server.url, headers),
    person: (name, more = {}) => void granted(engine.operate("user create", { name, passwordHash: HASH, ...more })),
    [Symbol.asyncDispose]: async () => {
      await server.stop(0);
      service[Symbol.dispose]();
    },
  };
}

function openBrowser(url: string, always: Record<string, string>): Browser {
  const cookies = new Map<string, string>();
  async function ask(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...always, ...(cookie === "" ? {} : { cookie }), ...init.headers };
    const answer = await fetch(url + path, { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = "", rest = ""] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
      if (rest.includes("Max-Age=0")) cookies.delete(name);
      else cookies.set(name, value);
    }
    return {
      status: answer.status,
      text: await answer.text(),
      headers: answer.headers,
      to: answer.headers.get("location"),
    };
  }
  return {
    cookies,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields, headers = { "sec-fetch-site": "same-origin" }) =>
      ask(path, { method: "POST", headers, body: new URLSearchParams(fields) }),
  };
}
