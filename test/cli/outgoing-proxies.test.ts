// A proxy of the environment that fails (R40): whatever asks another machine says so, and blames no one else.

import { afterEach, expect, test } from "bun:test";
import { systemClock } from "../../src/cli/clock.ts";
import { syncJobs } from "../../src/cli/discover/declare-jobs.ts";
import { askJson } from "../../src/import/ask.ts";
import { createOidc } from "../../src/web/account/oidc.ts";

const SITE = "https://service.example.org";

afterEach(() => {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY"]) delete process.env[name];
});

/** What each of them says when it asks a site. */
const ASKING: Readonly<Record<string, (site: string) => Promise<unknown>>> = {
  "an import": (site) =>
    askJson({ url: site, key: "k", authority: null, environment: process.env, progress: () => {} }, "/checks", {}),
  "discover's sync": async (site) => {
    throw new Error(String(await syncJobs({ url: site, key: "k", authority: null }, "cron@web1", [])));
  },
  "sign-on by a provider": (site) => {
    const settings = { issuer: site, clientId: "a", clientSecret: "b", label: "SSO", nameClaim: "email" } as const;
    return createOidc({ ...settings, publicUrl: "https://cron.example.org" }, systemClock, process.env).begin("/");
  },
};

const said = (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    () => "nothing failed",
    (error: Error) => error.message,
  );

test.each(Object.entries(ASKING))("R40: %s tells a proxy's failure as that", async (_, ask) => {
  using refusing = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("no", { status: 403 }) });
  process.env["HTTPS_PROXY"] = "http://127.0.0.1:1";
  expect(await said(ask(SITE))).toContain("connection refused at the proxy that HTTPS_PROXY names");
  process.env["HTTPS_PROXY"] = `http://127.0.0.1:${refusing.port}`;
  expect(await said(ask(SITE))).toContain("the proxy that HTTPS_PROXY names does not lead there");
});

test.each(Object.entries(ASKING).slice(0, 2))("R40: %s says of plain HTTP who stands between", async (_, ask) => {
  const login = () => new Response("no", { status: 407 });
  using wanting = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: login });
  process.env["HTTP_PROXY"] = `http://127.0.0.1:${wanting.port}`;
  expect(await said(ask("http://service.example.org"))).toContain("the proxy that HTTP_PROXY names wants a login");
});
