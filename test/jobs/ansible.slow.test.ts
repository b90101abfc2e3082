// The recipe for Ansible, and the role in packaging/ansible: run by the real Ansible against a machine, as the document
// has it, with the machine's own connection.

import { expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DEAD_ADDRESS, type Ended, JOBS } from "../support/clients.ts";
import { firstKeyOf, ROOT } from "../support/executable.ts";
import { hasMachine } from "../support/machine.ts";
import { type Host, openHost, recipeFor } from "../support/recipes.ts";

// Ansible takes two minutes on a slow machine.
setDefaultTimeout(300_000);

const tried = test.skipIf(!hasMachine("ansible-playbook")).concurrent;

/** Runs a playbook of the recipes at this address. */
function play(host: Host, name: string, url: string, key = firstKeyOf(host.service)): Promise<Ended> {
  return playAll(host, { [name]: recipeFor(name).replaceAll("https://cron.example.org", url) }, key);
}

/** Runs playbooks, by their names, one after the other with the role beside them. */
function playAll(host: Host, playbooks: Readonly<Record<string, string>>, key: string): Promise<Ended> {
  cpSync(join(ROOT, "packaging/ansible/roles"), `${host.root}/srv/play/roles`, { recursive: true });
  for (const [name, text] of Object.entries(playbooks)) host.write(`/srv/play/${name}`, text);
  const names = Object.keys(playbooks).join(" ");
  return host.run(
    `cd /srv/play && ansible-playbook --inventory localhost, --connection local --extra-vars vault_rollcall_key=${key} ${names}`,
    { ANSIBLE_NOCOLOR: "1", ANSIBLE_PYTHON_INTERPRETER: "/usr/bin/python3" },
  );
}

tried("Ansible: the role lets a host report and writes a watched job; a second time it changes nothing", async () => {
  await using host = await openHost();
  await host.run("rm -r /etc/rollcall; mkdir /etc/rollcall");
  const first = await play(host, "hosts.yml", host.service.url);
  expect(first.screen).toMatch(/ok=\d+ +changed=[1-9]\d* .* failed=0/);
  expect(first.screen).not.toContain(firstKeyOf(host.service));
  const file = "/etc/cron.d/rollcall-backup-localhost";
  expect(statSync(`${host.root}/etc/rollcall/client.key`).mode & 0o777).toBe(0o640);
  host.write("/usr/local/bin/backup", `#!/bin/sh\n${JOBS.succeeds}\n`);
  expect(await host.runLine(file, "backup")).toEqual({ exitCode: 0, screen: "" });
  host.write("/usr/local/bin/backup", `#!/bin/sh\n${JOBS.fails}\n`);
  expect((await host.runLine(file, "backup")).exitCode).toBe(3);
  expect(host.heard("backup-localhost")).toEqual(["start", "complete", "start", ["fail", "exit status 3"]]);
  expect(host.folder.rows("SELECT grace_seconds AS grace, max_runtime_seconds AS longest FROM monitors")).toEqual([
    { grace: 1800, longest: 7200 },
  ]);
  expect(await host.runLine("/etc/cron.d/rollcall-flush", "--flush")).toEqual({ exitCode: 0, screen: "" });

  expect((await play(host, "hosts.yml", host.service.url)).screen).toMatch(/changed=0 .* failed=0/);
  // The file of `backup.localhost` is another than that of `backup-localhost`, which alone is removed.
  const dotted = recipeFor("hosts.yml").replace(/key: "?backup-/, (key) => key.replace("-", "."));
  const removed = recipeFor("hosts.yml").replace("command: /usr/local/bin/backup\n", "$&          state: absent\n");
  expect(existsSync(host.root + file)).toBe(true);
  await playAll(host, { "dotted.yml": dotted, "removed.yml": removed }, "ck_app_x");
  const files = await host.run("cd /etc/cron.d && echo rollcall-backup*");
  expect(files.screen).toMatch(/^rollcall-backup-localhost-[0-9a-f]{8}\n$/);
});

tried("Ansible: a playbook reports its own run, and no report changes how it ends", async () => {
  await using host = await openHost();
  const { url } = host.service;
  host.write("/usr/local/bin/nightly", `#!/bin/sh\n${JOBS.succeeds}\n`);
  // Held against the whole end, so that a play that ends otherwise shows what it said.
  expect(await play(host, "nightly.yml", url)).toMatchObject({ exitCode: 0 });
  host.write("/usr/local/bin/nightly", `#!/bin/sh\n${JOBS.fails}\n`);
  expect(await play(host, "nightly.yml", url)).toMatchObject({ exitCode: 2 });
  expect(host.heard("nightly")).toEqual(["start", "complete", "start", ["fail", "The nightly work"]]);
  expect(host.folder.rows("SELECT ended_by AS end, legacy FROM runs ORDER BY id")).toEqual([
    { end: "complete", legacy: 0 },
    { end: "fail", legacy: 0 },
  ]);

  host.write("/usr/local/bin/nightly", `#!/bin/sh\n${JOBS.succeeds}\n`);
  const at = (address: string): string => recipeFor("nightly.yml").replaceAll("https://cron.example.org", address);
  const untold = await playAll(host, { "untold.yml": at(DEAD_ADDRESS), "refused.yml": at(url) }, "ck_app_default_x");
  expect(untold).toMatchObject({ exitCode: 0 });
  const plays = untold.screen.split("PLAY [").slice(1);
  expect(plays).toHaveLength(2);
  for (const screen of plays) expect(screen).toContain("rollcall was not told: ");
  expect(untold.screen).not.toContain("ck_app_default_x");
});

test("the role's files name what they take as the document does", () => {
  const specs = Bun.YAML.parse(
    readFileSync(join(ROOT, "packaging/ansible/roles/rollcall/meta/argument_specs.yml"), "utf8"),
  ) as { argument_specs: Record<string, { options: Record<string, { options?: Record<string, unknown> }> }> };
  const { main, job, report } = specs.argument_specs;
  const [hosts] = Bun.YAML.parse(recipeFor("hosts.yml")) as [
    { roles: [Record<string, unknown>]; tasks: [{ vars: { rollcall_job: Record<string, unknown> } }] },
  ];
  const { role, ...given } = hosts.roles[0];
  expect(role).toBe("rollcall");
  expect(Object.keys(main!.options)).toEqual(expect.arrayContaining(Object.keys(given)));
  const known = Object.keys(job!.options["rollcall_job"]!.options!);
  expect(known).toEqual(expect.arrayContaining(Object.keys(hosts.tasks[0].vars.rollcall_job)));
  expect(Object.keys(report!.options)).toContain("rollcall_report");
});
