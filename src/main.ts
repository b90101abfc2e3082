// Hands the command line to the CLI and its answer to the system. Exports nothing: the compiled executable starts here.

import { after } from "./cli/clock.ts";

// A job waits for `run`, so that loads as little as it can: none of the runtime's streams, and not the command line.
const args = process.argv.slice(2);
if (args[0] === "run" || args[0] === "--version") {
  const { runAtOnce } = await import("./cli/client/fast-start.ts");
  const exitCode = await runAtOnce(args, process.env);
  if (exitCode !== null) process.exit(exitCode);
}
const { useNewerZones } = await import("./cli/zone-source.ts");
useNewerZones(process.env);
const { wantsColor } = await import("./cli/screens/color.ts");
const { secretInput } = await import("./cli/io.ts");
const run =
  args[0] === "run" ? (await import("./cli/client/commands.ts")).runWrongCall : (await import("./cli/cli.ts")).runCli;

// Elysia asks for this while it is loaded, which `serve` does later; without it, errors would show their insides.
Bun.env["NODE_ENV"] = "production";

// The reader of the output may have seen enough (`| head`). A log without a reader must not end the service.
process.stdout.on("error", () => process.exit());
process.stderr.on("error", () => {});

process.exitCode = await run(args, process.env, {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  // A terminal without a size says 0.
  color: wantsColor(process.stdout.isTTY, process.env),
  width: process.stdout.isTTY ? process.stdout.columns || 80 : null,
  secret: secretInput(() => process.stdin),
});

// The command is over whatever still hangs (a receiver that never answers), but not before its last line is out, unless
// no one reads it.
after(1_000, () => process.exit());
process.stdout.end(() => process.stderr.end(() => process.exit()));
