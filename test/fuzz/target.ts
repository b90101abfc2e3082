// The service under attack: the executable with an application and keys of every kind, alerts that can be delivered, and
// limits that random requests do reach. Started for one attack alone.

import { type Folder, openFolder, type Service } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";
import type { Keys } from "./requests.ts";

export interface Target extends AsyncDisposable {
  readonly service: Service;
  readonly port: number;
  readonly keys: Keys;
}

const LIVE_KEYS = 6;

/** `perMinute`: what the busy key sends more of to the aliases than it may. */
export async function startTarget(perMinute: number): Promise<Target> {
  const receiver = startHttpSink(() => new Response());
  const folder = openFolder({ "rollcall.toml": configuration(receiver.url, perMinute) });
  // Without the pages for people, which have all other paths and answer there in their own way.
  const service = await folder.serve({ ROLLCALL_WEB__ENABLED: "false" });
  const live: string[] = [];
  for (let count = 0; count < LIVE_KEYS; count++) live.push(await createKey(folder, "fuzz"));
  const revoked = await createKey(folder, "fuzz");
  await revokeNewest(folder);
  return {
    service,
    port: Number(new URL(service.url).port),
    keys: {
      live,
      busy: await createKey(folder, "fuzz"),
      full: await createKey(folder, "full"),
      sync: await createKey(folder, "fuzz", "--scope", "sync"),
      revoked,
    },
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const configuration = (receiver: string, perMinute: number): string => `
[limits]
v1_per_minute = 0
v1_per_hour = 0
alias_per_minute = ${perMinute}
sync_per_minute = ${perMinute}
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

async function createKey(folder: Folder, ...args: readonly string[]): Promise<string> {
  const { exitCode, out, err } = await folder.run(["key", "create", ...args]);
  if (exitCode !== 0) throw new Error(err);
  return out.split("\n")[0]!;
}

async function revokeNewest(folder: Folder): Promise<void> {
  const [{ id } = { id: 0 }] = folder.rows("SELECT max(id) AS id FROM api_keys");
  const { exitCode, err } = await folder.run(["key", "revoke", String(id)]);
  if (exitCode !== 0) throw new Error(err);
}
