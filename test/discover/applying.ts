// `rollcall discover` with --apply and --undo on trees of files and against a real server: what several tests of it
// share.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Ran } from "../support/command-line.ts";
import type { Service } from "../support/service.ts";
import { discoverBelow } from "./below.ts";
import type { Tree } from "./trees.ts";

export const SETTINGS = {
  "/etc/rollcall/client.toml": 'url = "https://cron.example.org"\nkey = "ck_app_x"\n',
  "/usr/local/bin/rollcall": "",
} as const;

export const LEDGER = "/var/lib/rollcall-client/discover/manifest.json";

/** Bytes, mode and owner of all files but our own. */
export function picture({ root }: Tree): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("rollcall-client"));
  return Object.fromEntries(
    paths.map((path) => {
      const { mode, uid, gid } = statSync(path);
      return [path.slice(root.length), `${mode.toString(8)} ${uid}:${gid} ${readFileSync(path, "latin1")}`];
    }),
  );
}

export const run = (tree: Tree, service: Service | null, ...args: string[]): Promise<Ran> =>
  discoverBelow(tree, args, service === null ? {} : { ROLLCALL_URL: service.origin, ROLLCALL_KEY: service.keys.sync });

export async function monitors(service: Service): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${service.base}/sync/status`, {
    headers: { authorization: `Basic ${btoa(`${service.keys.all}:`)}` },
  });
  return ((await response.json()) as { monitors: Record<string, unknown>[] }).monitors;
}
export const keysOf = async (service: Service) =>
  (await monitors(service))
    .filter(({ status }) => status !== "paused")
    .map(({ monitorKey }) => String(monitorKey))
    .sort();
