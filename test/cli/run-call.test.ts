// `rollcall run` reads its line by hand, because a job waits for it: whatever it takes, the command line reads as the
// same, and what it leaves to the command line is refused there, or is a call for help.

import { expect, test } from "bun:test";
import { Command } from "commander";
import fc from "fast-check";
import { RUN_OPTIONS, type RunCall, readCall } from "../../src/cli/client/run-call.ts";
import { MINUTE } from "../../src/domain/time.ts";

/** As commander reads the same table. */
function readByCommander(args: readonly string[]): RunCall | "refused" {
  let call: RunCall | "refused" = "refused";
  const program = new Command().exitOverride().enablePositionalOptions();
  program.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  const run = program.command("run").argument("[monitor]").argument("[command...]").passThroughOptions().exitOverride();
  run.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  for (const { flags, help, read } of Object.values(RUN_OPTIONS))
    if (read === undefined) run.option(flags, help);
    else run.option(flags, help, read as (text: string, before: unknown) => unknown);
  run.action((monitor, words, _flags, self: Command) => {
    call = { monitor, typed: words, flags: self.opts() };
  });
  try {
    program.parse([...args], { from: "user" });
  } catch {
    return "refused";
  }
  return call;
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  "--schedule": ["0 2 * * *", "--lock", "", "-x"],
  "--every": ["25h", "10m", "soon", ""],
  "--timezone": ["Europe/Berlin"],
  "--grace": ["15m", "1s", "x"],
  "--name": ["Nightly backup", "--", "=", "a=b"],
  "--max-runtime": ["2h", "30s"],
  "--kill-after": ["5m"],
  "--retries": ["3", "1000", "-1"],
  "--backoff": ["10s"],
  "--success-codes": ["24", "1,100-127", "300"],
  "--outcome": ["rows=3", "ok=true", "rows"],
  "--outcomes": ["/tmp/outcomes"],
  "--moved-from": ["https://cron.example.org", "https://cron.example.org/path"],
};

const option = fc.constantFrom(...Object.values(RUN_OPTIONS)).chain(({ flags }): fc.Arbitrary<string[]> => {
  const [name = "", value] = flags.split(" ");
  if (value === undefined) return fc.constantFrom(...[[name], [name], [`${name}=1`]]);
  return fc
    .tuple(fc.constantFrom(...VALUES[name]!), fc.boolean())
    .map(([text, isOne]) => (isOne ? [`${name}=${text}`] : [name, text]));
});
const stray = fc.constantFrom(...[["-h"], ["--help"], ["--unknown"], ["-x"], ["--"], ["-"]]);
const words = fc.array(fc.constantFrom("ls", "-la", "--", "--full", "a b", "", "--lock"), { maxLength: 4 });
const line = fc
  .tuple(
    fc.array(fc.oneof({ weight: 8, arbitrary: option }, { weight: 1, arbitrary: stray }), { maxLength: 4 }),
    fc.constantFrom<string[]>([], ["backup"], ["a key"]),
    fc.constantFrom<string[]>([], ["--"]),
    words,
  )
  .map(([options, monitor, dashes, command]) => ["run", ...options.flat(), ...monitor, ...dashes, ...command]);

test("a line that is read by hand means the same to the command line", () => {
  let taken = 0;
  fc.assert(
    fc.property(line, (args) => {
      const call = readCall(args);
      if (call === null) return;
      taken++;
      const other = readByCommander(args);
      expect(other).not.toBe("refused");
      // Options behind the monitor the command line reads in a second step: see below.
      if (other === "refused" || /^--./.test(other.typed[0] ?? "")) return;
      expect({ monitor: call.monitor, flags: call.flags }).toEqual({ monitor: other.monitor, flags: other.flags });
      expect(call.typed).toEqual([...other.typed]);
    }),
    { numRuns: 2_000, seed: 5 },
  );
  expect(taken).toBeGreaterThan(500);
});

test("right calls need no command line", () => {
  expect(readCall(["run", "backup", "--", "/usr/local/bin/backup", "--full"])).toEqual({
    monitor: "backup",
    typed: ["--", "/usr/local/bin/backup", "--full"],
    flags: {},
  });
  expect(readCall(["run", "--schedule=0 2 * * *", "--grace", "30m", "backup", "backup.sh", "-v"])).toEqual({
    monitor: "backup",
    typed: ["backup.sh", "-v"],
    flags: { schedule: "0 2 * * *", grace: 30 * MINUTE },
  });
  expect(readCall(["run", "--outcome", "rows=3", "--outcome", "ok=true", "job", "--", "true"])?.flags).toEqual({
    outcome: { rows: 3, ok: true },
  });
});

test("options between the monitor and -- count as if they stood before it", () => {
  expect(readCall(["run", "backup", "--lock", "--grace", "30m", "--", "sh", "-c", "x"])).toEqual({
    monitor: "backup",
    typed: ["--", "sh", "-c", "x"],
    flags: { lock: true, grace: 30 * MINUTE },
  });
});

test.each([
  [["run", "--help"]],
  [["run", "--schedule"]],
  [["run", "--lock=1", "job", "--", "true"]],
  [["run", "--grace", "soon", "job", "--", "true"]],
  [["run", "job", "--unknown", "--", "true"]],
  [["run", "job", "--lock", "stray", "--", "true"]],
])("%j is left to the command line", (args) => expect(readCall(args)).toBeNull());
