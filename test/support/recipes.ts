// Common code for the tests of docs/recipes.md: its blocks by the path that each names, and a machine that reports to a
// service of the test with the settings that the page shows.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ended } from "./clients.ts";
import { type Folder, firstKeyOf, openFolder, ROOT, type Service } from "./executable.ts";
import { bootMachine, type Machine } from "./machine.ts";
import { type Block, blocksOf } from "./readme.ts";

const BLOCKS: readonly Block[] = blocksOf(readFileSync(join(ROOT, "docs/recipes.md"), "utf8"));

/** The address of a service in the page's examples. */
const EXAMPLE = "https://cron.example.org";

/** The only block whose first two lines name this path. */
export function recipeFor(path: string): string {
  const found = BLOCKS.filter(({ text }) =>
    text.split("\n", 2).some((line) => line.startsWith("# ") && line.slice(2).split(/[\s:]/, 1)[0] === path),
  );
  if (found.length !== 1) throw new Error(`docs/recipes.md has ${found.length} blocks for ${path}`);
  return found[0]!.text;
}

export interface Host extends Machine {
  readonly service: Service;
  readonly folder: Folder;
  /** Puts the blocks for these paths there, unchanged. */
  place(...paths: readonly string[]): void;
  /** Runs the command of the line with these words in a crontab of the system, as cron does. */
  runLine(path: string, words: string): Promise<Ended>;
  /** The reports that came for a monitor: kinds and messages in their order. */
  heard(monitor: string): unknown[];
}

const HEARD = `SELECT kind, message FROM pings JOIN monitors ON monitors.id = pings.monitor_id
  WHERE monitors.key = ? ORDER BY pings.id`;

/** A machine with the client's settings, and the service to which it reports. */
export async function openHost(files: Readonly<Record<string, string>> = {}): Promise<Host> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(openFolder(files));
  const service = await folder.serve();
  const machine = opened.use(await bootMachine());
  const place: Host["place"] = (...paths) => {
    for (const path of paths) machine.write(path, recipeFor(path).replaceAll(EXAMPLE, service.url));
  };
  place("/etc/rollcall/client.toml");
  machine.write("/etc/rollcall/client.key", `${firstKeyOf(service)}\n`, 0o600);
  machine.write("/etc/rollcall/job.env", `ROLLCALL_URL=${service.url}\nROLLCALL_KEY=${firstKeyOf(service)}\n`, 0o600);
  const kept = opened.move();
  return {
    ...machine,
    service,
    folder,
    place,
    runLine: (path, words) => {
      const lines = readFileSync(machine.root + path, "utf8").split("\n");
      const line = lines.find((each) => /^[^#]*\sroot\s/.test(each) && each.includes(words));
      const command = line?.replace(/^(?:\S+\s+){5}root\s+/, "");
      if (command === undefined) throw new Error(`no line of ${path} has ${words}`);
      // The text after a bare % is what cron writes to the command's input.
      if (/(?<!\\)%/.test(command)) throw new Error(`${path}: a % ends the command: ${command}`);
      const set = lines.flatMap((each) => [...each.matchAll(/^(\w+)=(.*)$/g)].map(([, name, value]) => [name, value]));
      return machine.run(command.replaceAll("\\%", "%"), { PATH: "/usr/bin:/bin", ...Object.fromEntries(set) });
    },
    heard: (monitor) =>
      folder.rows(HEARD, monitor).map(({ kind, message }) => (message === null ? kind : [kind, message])),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
