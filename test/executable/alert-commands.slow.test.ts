// The commands in an alert are typed as they stand, from another directory, in the shell of who reads it.

import { expect, test } from "bun:test";
import { EXECUTABLE, firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";

test.each([
  ["as the README starts it", "rollcall.toml", {}],
  ["with another configuration", "mine.toml", { ROLLCALL_CONFIG: "mine.toml" }],
  [
    "with its directory in the environment",
    "mine.toml",
    { ROLLCALL_CONFIG: "mine.toml", ROLLCALL_STORAGE__DIRECTORY: "other" },
  ],
] as const)("a command of an alert works where rollcall was started %s", async (_, name, environment) => {
  await using ntfy = startHttpSink(() => Response.json({ id: "sent" }));
  const file = `[server]\nlisten = "127.0.0.1:0"\n[destinations.phone]\ntype = "ntfy"\nurl = "${new URL(ntfy.url).origin}"\ntopic = "jobs"\n[team]\ndestinations = ["phone"]\n`;
  await using folder = openFolder({ [name]: file });
  const service = await folder.serve(environment);
  expect(await report(service, firstKeyOf(service), "backup", "/fail?schedule=0+2+*+*+*&message=disk+full")).toBe(200);
  const told = await until("the alert", () => ntfy.requests.find(({ body }) => body.includes("Failed")) ?? null);
  const { message } = JSON.parse(told.body) as { message: string };
  const command = /^.*incident ack \d+$/m.exec(message)![0];
  const { exitCode, stdout, stderr } = Bun.spawnSync(["/bin/sh", "-c", command], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", HOME: "/" },
  });
  expect({ command, exitCode, said: `${stdout}${stderr}` }).toEqual({
    command,
    exitCode: 0,
    said: expect.stringContaining("acknowledged"),
  });
  // What a command says at this terminal names the executable that was typed, and not one that nothing finds.
  expect((await folder.run(["monitor", "show", "nothing"], environment)).err).toContain(
    `\`${EXECUTABLE} monitor list\``,
  );
});
