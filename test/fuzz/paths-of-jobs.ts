// The paths of jobs under attack: the executable with an application and keys of every kind, alerts that can be
// delivered, and limits that random requests do reach.

import { type Folder, openFolder, report, type Service } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";
import type { Front } from "./front.ts";
import { drawRequest, type Keys } from "./requests.ts";
import { judge, missingFrom } from "./verdict.ts";

const LIVE_KEYS = 6;
/** The busy key sends about twice as many requests to the aliases in a minute as it may, which is this part of all. */
const BUSY_SHARE = 1 / 100;
/** How many requests beyond the limit are sent at the same time. */
const AT_ONCE = 64;

/** `requests`: how many the attack will send. */
export async function openPathsOfJobs(requests: number): Promise<Front> {
  const perMinute = Math.ceil(requests * BUSY_SHARE);
  // If it does not come to be, nothing of it goes on running.
  await using opening = new AsyncDisposableStack();
  const receiver = opening.use(startHttpSink(() => new Response()));
  const folder = opening.use(openFolder({ "rollcall.toml": configuration(receiver.url, perMinute) }));
  // Without the pages for people, which have all other paths and answer there in their own way.
  const service = await folder.serve({ ROLLCALL_WEB__ENABLED: "false" });
  const live: string[] = [];
  for (let count = 0; count < LIVE_KEYS; count++) live.push(await createKey(folder, "key", "fuzz"));
  const revoked = await createKey(folder, "key", "fuzz");
  await revokeNewest(folder);
  const keys: Keys = {
    live,
    busy: await createKey(folder, "key", "fuzz"),
    full: await createKey(folder, "key", "full"),
    sync: await createKey(folder, "key", "fuzz", "--scope", "sync"),
    revoked,
    admin: await createKey(folder, "admin-key"),
    oldAddresses: await addAddresses(folder),
  };
  const opened = opening.move();
  return {
    service,
    port: Number(new URL(service.url).port),
    draw: (random) => drawRequest(random, keys),
    judge,
    check: async () => {
      // It has to be taken whatever goes on beside it.
      const status = await report(service, live[0]!, "canary", "?schedule=0%203%20*%20*%20*");
      return status === 200 ? [] : [`a job's report was answered ${status}`];
    },
    reach: async (counts) => (!counts.has(EXCEEDED) && (await exceed(service, keys.busy, perMinute)) ? [EXCEEDED] : []),
    missing: missingFrom,
    secrets: [...live, keys.busy, keys.full, keys.sync, keys.revoked, keys.admin, ...OLD_SECRETS].map((key) =>
      key.slice(-32),
    ),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Those of an UUID, a ping key and a push token. */
const OLD_SECRETS = ["5d2e-4c3b-9f4e-6a7b8c9d0e1f", "fqood6f4mmnucenztu01wx", "Wd4Kq8Zt1xAbCdEfGhIjKlMnOpQrStUv"];

/** Addresses of other services for one monitor; the last is revoked. */
async function addAddresses(folder: Folder): Promise<readonly string[]> {
  const [uuid, pingKey, token] = OLD_SECRETS;
  const addresses = [
    `/ping/0b6f3a1c-${uuid}`,
    `/ping/${pingKey}/moved`,
    `/api/push/${token}`,
    `/ping/0b6f3a1d-${uuid}`,
  ];
  const done = async (...words: string[]): Promise<void> => {
    const { exitCode, err } = await folder.run(words);
    if (exitCode !== 0) throw new Error(err);
  };
  await done("monitor", "create", "moved", "--app", "fuzz", "--schedule", "0 3 * * *");
  await done("address", "add", `/ping/${pingKey}`, "--prefix", "made-", "--app", "fuzz");
  for (const address of addresses) await done("address", "add", address, "moved", "--app", "fuzz");
  const [{ id } = { id: 0 }] = folder.rows("SELECT max(id) AS id FROM api_keys");
  await done("address", "revoke", String(id));
  return addresses;
}

const EXCEEDED = "429 RATE_LIMIT_EXCEEDED";

/** A slow machine never sends enough in a minute by chance. Answers whether a request beyond the limit was refused. */
async function exceed({ url }: Service, key: string, perMinute: number): Promise<boolean> {
  let left = 2 * perMinute;
  let isRefused = false;
  const send = async (): Promise<void> => {
    while (!isRefused && left-- > 0) {
      const { status } = await fetch(`${url}/ping/busy/${key}`);
      isRefused ||= status === 429;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return isRefused;
}

const configuration = (receiver: string, perMinute: number): string => `
[limits]
v1_per_minute = 0
v1_per_hour = 0
alias_per_minute = ${perMinute}
sync_per_minute = ${perMinute}
admin_per_minute = 0
[team]
destinations = ["receiver"]
[destinations.receiver]
type = "webhook"
url = "${receiver}"
secret = "whsec_${"a".repeat(32)}"
[applications.fuzz]
[applications.full]
max_active_monitors = 2
`;

async function createKey(folder: Folder, kind: "key" | "admin-key", ...args: readonly string[]): Promise<string> {
  const { exitCode, out, err } = await folder.run([kind, "create", ...args]);
  if (exitCode !== 0) throw new Error(err);
  return out.split("\n")[0]!;
}

async function revokeNewest(folder: Folder): Promise<void> {
  const [{ id } = { id: 0 }] = folder.rows("SELECT max(id) AS id FROM api_keys");
  const { exitCode, err } = await folder.run(["key", "revoke", String(id)]);
  if (exitCode !== 0) throw new Error(err);
}
