// Shows that the laws can fail: applies each patch of this folder to a copy of the core and runs the laws alone. Says
// which law catches it, and exits with 1 when one survives or no longer applies. PROPERTY_RUNS as for the laws.

import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const HERE = import.meta.dir;
const ROOT = join(HERE, "../..");
const COPIED = ["src", "test", "package.json", "tsconfig.json", "bunfig.toml"];
const LAWS = "test/domain/laws.test.ts";
/** Most faults show within few timelines; only what survives them gets as many as a law usually has. */
const ROUNDS = ["150", process.env.PROPERTY_RUNS ?? "1000"];
const AT_ONCE = 2;
/** A fault that makes the core go on for ever is none that a law can name. */
const PATIENCE = 300_000;
const SURVIVED = "SURVIVED";

interface Verdict {
  readonly caught: boolean;
  readonly text: string;
}

const only = process.argv.slice(2);
const names = readdirSync(HERE)
  .filter((file) => file.endsWith(".patch"))
  .map((file) => file.replace(".patch", ""))
  .filter((name) => only.length === 0 || only.some((part) => name.includes(part)))
  .sort();
const waiting = names.entries();
const survivors: string[] = [];

const sound = await judge(null);
if (sound.text !== SURVIVED) throw new Error(`The laws do not hold for the core as it is: ${sound.text}`);
await Promise.all(Array.from({ length: AT_ONCE }, takeMutants));
console.log(`${names.length - survivors.length} of ${names.length} mutants are caught`);
if (names.length === 0 || survivors.length > 0) process.exitCode = 1;

async function takeMutants(): Promise<void> {
  for (const [index, name] of waiting) {
    const { caught, text } = await judge(name);
    if (!caught) survivors.push(name);
    console.log(`[${index + 1}/${names.length}] ${name}: ${text}`);
  }
}

/** `name` null: the core as it is. */
async function judge(name: string | null): Promise<Verdict> {
  const copy = mkdtempSync(join(tmpdir(), "mutant-"));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    if (name !== null) {
      const { code, output } = await run(["git", "apply", join(HERE, `${name}.patch`)], copy, {});
      if (code !== 0) return { caught: false, text: `DOES NOT APPLY: ${output.trim()}` };
    }
    for (const round of ROUNDS) {
      const { code, output } = await run([process.execPath, "test", "--bail", LAWS], copy, { PROPERTY_RUNS: round });
      const title = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/m.exec(output)?.[1];
      if (title !== undefined) return { caught: true, text: `caught by "${title}"` };
      if (code !== 0) return { caught: false, text: `NO LAW FAILED, but the run ended with ${code}:\n${output}` };
    }
    return { caught: false, text: SURVIVED };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function run(command: string[], cwd: string, variables: Record<string, string>) {
  const env = { ...process.env, NO_COLOR: "1", ...variables };
  const child = Bun.spawn(command, { cwd, env, stdout: "pipe", stderr: "pipe", timeout: PATIENCE });
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: out + errors };
}
