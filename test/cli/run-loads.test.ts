// What `rollcall run` loads before a job: as little as it can, because the job waits for it.

import { expect, test } from "bun:test";
import { join } from "node:path";

const ENTRY = join(import.meta.dir, "../../src/cli/client/fast-start.ts");

/** The text of all that is evaluated when the entry is loaded, and what it loads only when it is asked for. */
async function loaded(): Promise<Readonly<{ atOnce: string; later: string }>> {
  const { outputs } = await Bun.build({ entrypoints: [ENTRY], target: "bun", splitting: true, format: "esm" });
  const texts = new Map<string, string>();
  for (const output of outputs) texts.set(output.path.replace(/^.*\//, ""), await output.text());
  const atOnce = new Set<string>();
  const add = (name: string): void => {
    if (atOnce.has(name)) return;
    atOnce.add(name);
    for (const [, next] of texts.get(name)!.matchAll(/^} from "\.\/([^"]+)"|^import "\.\/([^"]+)"/gm))
      if (next !== undefined) add(next);
  };
  add("fast-start.js");
  const all = (isAtOnce: boolean): string =>
    [...texts].flatMap(([name, text]) => (atOnce.has(name) === isAtOnce ? [text] : [])).join("\n");
  return { atOnce: all(true), later: all(false) };
}

test("neither the runtime's streams, nor the C library's caller, nor what finds secrets or knows time zones", async () => {
  const { atOnce, later } = await loaded();
  expect(atOnce).toContain("startJob");
  // Each of the first four loads the streams: ten milliseconds.
  for (const dear of ["process.stdin", "process.stdout", "process.stderr", '"node:tty"', 'from "bun:ffi"'])
    expect(atOnce).not.toContain(dear);
  for (const seldom of ["hideSecrets", "packedRules", "requestFailureInWords("]) {
    expect(later).toContain(seldom);
    expect(atOnce.includes(`function ${seldom}`) || atOnce.includes(`${seldom} = `)).toBeFalse();
  }
});
