// The recipe for Kubernetes: held against the types of its API, and the commands of its containers run as the file
// states them, where their volumes would be. There is no cluster here.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CronJob } from "kubernetes-types/batch/v1";
import type { Container } from "kubernetes-types/core/v1";
import { JOBS, startCommand } from "../support/clients.ts";
import { ROOT, until } from "../support/executable.ts";
import { hasMachine } from "../support/machine.ts";
import { openHost, recipeFor } from "../support/recipes.ts";

setDefaultTimeout(120_000);

const manifest = Bun.YAML.parse(recipeFor("backup.yaml")) as CronJob;

/** What the compiler has against an object as a CronJob, where it knows every field. */
async function faultsOf(object: unknown): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-manifest-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const declared = `import type { CronJob } from "kubernetes-types/batch/v1";\nexport const job: CronJob = `;
  writeFileSync(join(folder, "job.ts"), declared + JSON.stringify(object));
  const compiler = [process.execPath, "--bun", join(ROOT, "node_modules/.bin/tsc")];
  const options = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--types",
    "",
  ];
  const { screen } = await startCommand([...compiler, ...options, join(folder, "job.ts")], {}).ended;
  rmSync(folder, { recursive: true });
  return screen;
}

test("Kubernetes knows every field of the file, and a fault is found", async () => {
  expect(await faultsOf(manifest)).toBe("");
  const { concurrencyPolicy, ...spec } = manifest.spec!;
  expect(await faultsOf({ ...manifest, spec: { ...spec, concurencyPolicy: concurrencyPolicy } })).toContain(
    "concurencyPolicy",
  );
});

test("the schedule and the zone are those that the job reports", () => {
  const { args } = manifest.spec!.jobTemplate.spec!.template.spec!.containers[0]!;
  const { schedule, timeZone } = manifest.spec!;
  expect(args).toContain(`--schedule=${schedule}`);
  expect(args).toContain(`--timezone=${timeZone}`);
});

test.skipIf(!hasMachine())("its containers report a job that succeeds, and one that fails", async () => {
  await using host = await openHost();
  const { initContainers, containers } = manifest.spec!.jobTemplate.spec!.template.spec!;
  const linesOf = ({ command = [], args = [] }: Container) =>
    [...command, ...args].map((word) => `'${word}'`).join(" ");
  const runContainer = (container: Container) =>
    // As the first of its processes, as in a container.
    host.run(
      `exec unshare --pid --fork --kill-child --mount-proc ${linesOf(container)}`,
      Object.fromEntries((container.env ?? []).map(({ name, value = "" }) => [name, value])),
    );
  await host.run("mkdir /run/rollcall");
  expect(await runContainer(initContainers![0]!)).toEqual({ exitCode: 0, screen: "" });
  host.write("/usr/local/bin/backup", `#!/bin/sh\n${JOBS.succeeds}\n`);
  expect(await runContainer(containers[0]!)).toEqual({ exitCode: 0, screen: "" });
  host.write("/usr/local/bin/backup", `#!/bin/sh\n${JOBS.fails}\n`);
  expect(await runContainer(containers[0]!)).toEqual({ exitCode: 3, screen: "" });
  // What a pod that is deleted gets.
  host.write("/usr/local/bin/backup", "#!/bin/sh\n: >/run/has-begun\nexec sleep 60\n");
  const deleted = runContainer(containers[0]!);
  await until("the job's start", () => (existsSync(`${host.root}/run/has-begun`) ? true : null));
  await host.run("pkill --exact --signal TERM rollcall");
  expect((await deleted).exitCode).toBe(143);
  const failure = (message: string) => ["start", ["fail", message]];
  expect(host.heard("backup")).toEqual([
    "start",
    "complete",
    ...failure("exit status 3"),
    ...failure("ended by SIGTERM"),
  ]);
  expect(
    host.folder.rows("SELECT timezone, grace_seconds AS grace, max_runtime_seconds AS longest FROM monitors"),
  ).toEqual([{ timezone: "Europe/Berlin", grace: 1800, longest: 7200 }]);
});
