// The first file that the executable runs: hands the command line to `cli/` and prints the answer.

import { after } from "./cli/clock.ts";

// `rollcall run` must not delay its job, so it loads neither the runtime's streams nor the parser of command lines.
const args = process.argv.slice(2);
if (args[0] === "run" || args[0] === "--version") {
  const { runJobAtOnce: runAtOnce } = await import("./cli/client/fast-start.ts");
  const exitCode = await runAtOnce(args, process.env);
  if (exitCode !== null) process.exit(exitCode);
}
const { useNewerZones } = await import("./cli/zone-source.ts");
useNewerZones(process.env);
const { wantsColor } = await import("./cli/screens/color.ts");
const { personInput, REFUSED } = await import("./cli/io.ts");
const { fileOutput } = await import("./cli/answer-file.ts");
const run =
  args[0] === "run"
    ? (await import("./cli/client/commands.ts")).runWrongJobCall
    : (await import("./cli/cli.ts")).runCli;

// Elysia reads this when `serve` loads it later. Without it, an internal error would be shown to callers in full.
Bun.env["NODE_ENV"] = "production";

// The first line ends a command whose reader has seen enough, as in `rollcall status | head`. The second keeps the
// service running when its log is no longer read.
process.stdout.on("error", () => process.exit());
process.stderr.on("error", () => {});

let isLost = false;
const write = fileOutput(process.stdout.isTTY, (code) => {
  isLost = true;
  process.stderr.write(`the output could not be written (${code}) and is not whole; what the command did is done\n`);
});
const exitCode = await run(args, process.env, {
  out: (line) => (write === null ? process.stdout.write(`${line}\n`) : write(`${line}\n`)),
  err: (line) => process.stderr.write(`${line}\n`),
  color: wantsColor(process.stdout.isTTY, process.env),
  // A terminal that does not know its size says 0; then 80 columns are assumed.
  width: process.stdout.isTTY ? process.stdout.columns || 80 : null,
  input: personInput(() => process.stdin),
});
process.exitCode = isLost && exitCode === 0 ? REFUSED : exitCode;

// Ends the process when its last line is written, or after one second if no one reads it. A connection that is still
// open, such as to a receiver that never answers, does not keep the process running.
after(1_000, () => process.exit());
process.stdout.end(() => process.stderr.end(() => process.exit()));
