// The pages for people under attack: the executable with jobs whose names and messages are markup, and people who have
// signed in. Whoever is signed out or deleted in the course of it is let in again.

import { systemClock } from "../../src/cli/clock.ts";
import { createOidc } from "../../src/web/account/oidc.ts";
import { type Folder, firstKeyOf, openFolder, report, type Service } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { CLIENT, type OidcProvider, settingsFor, startProvider } from "../support/oidc-provider.ts";
import { routesOfPages } from "../support/pages.ts";
import { cookieByLink, firstCookieOf, PASSWORD } from "../support/session.ts";
import type { Front } from "./front.ts";
import { createDoors, DOORS_URL } from "./open-doors.ts";
import { mapPages } from "./page-map.ts";
import { drawPageRequest, type PageWorld } from "./page-requests.ts";
import { judgePage, missingFrom } from "./page-verdict.ts";

/**
 * More than a few, as two pages of a person are made at once. Names that people may have; the first person is the
 * administrator whose link the first start shows.
 */
const PEOPLE = [
  { name: "ada", flags: ["--role", "admin"] },
  { name: "ben", flags: ["--role", "operator"] },
  { name: "cat", flags: ["--role", "viewer", "--app", "default"] },
  { name: "dan", flags: ["--role", "operator"] },
  { name: "eve", flags: ["--role", "viewer"] },
  { name: "fay", flags: ["--role", "viewer"] },
];

const HOSTILE_TEXT = encodeURIComponent(`"><hostile x=" onhostile="' javascript:hostile`);
const JOBS = ["job", "failing", "paused", "<hostile>", '" onhostile="', "a/b", "..a", "日本", "%2F"];

const STATUS_PAGE = {
  application: "default",
  token: "a-status-page-for-all-who-know-its-address",
  title: "<hostile>",
  jobs: ["*"],
  messages: true,
};

export async function openPages(): Promise<Front> {
  // If it does not come to be, nothing of it goes on running.
  await using opening = new AsyncDisposableStack();
  const receiver = opening.use(startHttpSink(() => new Response()));
  const provider = opening.use(await startProvider());
  provider.claims = { preferred_username: PEOPLE[1]!.name };
  const folder = opening.use(openFolder({ "rollcall.toml": configuration(receiver.url, provider) }));
  const service = await folder.serve();
  const key = firstKeyOf(service);
  for (const job of JOBS) {
    const path = `${encodeURIComponent(job)}/${key}`;
    const status = await fetch(
      `${service.url}/api/v1/ping/${path}?schedule=0%203%20*%20*%20*&name=${HOSTILE_TEXT}`,
    ).then((answer) => answer.status);
    if (status !== 200) throw new Error(`the report of ${job} was answered ${status}`);
    await fetch(`${service.url}/api/v1/ping/${path}/fail?message=${HOSTILE_TEXT}`, { method: "POST" });
  }
  const cookies = [await firstCookieOf(service, PEOPLE[0]!.name)];
  for (const { name, flags } of PEOPLE.slice(1)) cookies.push(await cookieOf(folder, service, name, flags));
  const doors = createDoors(service, provider);
  await doors.refill(cookies);
  const routes = routesOfPages([STATUS_PAGE], {
    url: DOORS_URL,
    oidc: createOidc(settingsFor(provider), systemClock, {}),
  });
  const world: PageWorld = {
    map: await mapPages(service.url, ["/", `/status/${STATUS_PAGE.token}`], { cookie: cookies[0]! }, routes),
    doors,
    cookies: () => cookies,
    names: ["default", "nobody", STATUS_PAGE.token, ...JOBS.map(encodeURIComponent)],
  };
  let isRenewing = false;

  /** Lets them in again, one look at a time. */
  async function renew(): Promise<void> {
    for (const [place, { name, flags }] of PEOPLE.entries()) {
      const { status } = await fetch(`${service.url}/account`, {
        headers: { cookie: cookies[place]! },
        redirect: "manual",
      });
      if (status !== 200) cookies[place] = await cookieOf(folder, service, name, flags);
    }
  }

  const opened = opening.move();
  return {
    service,
    port: Number(new URL(service.url).port),
    draw: (random) => drawPageRequest(random, world),
    judge: (answer, asked, isSound) => judgePage(answer, asked, isSound, provider.issuer),
    check: async () => {
      if (isRenewing) return [];
      isRenewing = true;
      try {
        await renew();
        await doors.refill(cookies);
        const status = await report(service, key, "canary", "?schedule=0%203%20*%20*%20*");
        const page = await fetch(`${service.url}/`, { headers: { cookie: cookies[0]! } });
        const faults = status === 200 ? [] : [`a job's report was answered ${status}`];
        return page.status === 200 ? faults : [...faults, `the overview was answered ${page.status}`];
      } finally {
        isRenewing = false;
      }
    },
    reach: async () => [],
    missing: missingFrom,
    secrets: [key.slice(-32), PASSWORD, ...cookies.map((cookie) => cookie.split("=")[1]!)],
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const configuration = (receiver: string, { issuer }: OidcProvider): string => `
[server]
public_url = "${DOORS_URL}"
plain_http = "accept"
[web]
oidc.issuer = "${issuer}"
oidc.client_id = "${CLIENT.id}"
oidc.client_secret = "${CLIENT.secret}"
[limits]
v1_per_minute = 0
v1_per_hour = 0
[team]
destinations = ["receiver"]
[destinations.receiver]
type = "webhook"
url = "${receiver}"
secret = "whsec_${"a".repeat(32)}"
[applications.default.status_page]
token = "${STATUS_PAGE.token}"
title = "${STATUS_PAGE.title}"
jobs = ${JSON.stringify(STATUS_PAGE.jobs)}
messages = ${STATUS_PAGE.messages}
`;

/** A new password for the person, who is created where there is none. */
async function cookieOf(folder: Folder, service: Service, name: string, flags: readonly string[]): Promise<string> {
  const again = await folder.run(["user", "passwd", name, "--link"]);
  const { out, err } = again.exitCode === 0 ? again : await folder.run(["user", "create", name, ...flags, "--link"]);
  const [, path] = /(\/sign-in\/link\/\w{43})/.exec(out) ?? [];
  if (path === undefined) throw new Error(`no link for ${name}: ${out}${err}`);
  return cookieByLink(service.url + path, name);
}
