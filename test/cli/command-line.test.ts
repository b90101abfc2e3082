// How commands in alerts begin, for each way in which a service may have been started.

import { expect, test } from "bun:test";
import { type StartedAs, serviceCommandLine } from "../../src/cli/serving/command-line.ts";

const PACKAGED: StartedAs = {
  executable: "/usr/bin/rollcall",
  found: "/usr/bin/rollcall",
  cwd: "/",
  config: undefined,
  directory: "/var/lib/rollcall",
  isContainer: false,
};
const CLONE = { executable: "/home/ada/rollcall/dist/rollcall", found: null, cwd: "/home/ada/rollcall" };

/** What a configuration says; without one the data lie below the directory of the call. */
const directories =
  (by: Readonly<Record<string, string>>) =>
  ({ config, envFile }: { config?: string; envFile?: string }, cwd: string) =>
    by[envFile ?? config ?? "usual"] ?? (config === undefined && envFile === undefined ? `${cwd}/data` : null);

test.each<[string, Partial<StartedAs>, Record<string, string>, string]>([
  ["by the package", {}, { usual: "/var/lib/rollcall" }, "rollcall"],
  [
    "by make run in a clone",
    { ...CLONE, directory: `${CLONE.cwd}/data` },
    {},
    "cd /home/ada/rollcall && dist/rollcall",
  ],
  [
    "beside another rollcall",
    { ...CLONE, found: "/usr/bin/rollcall", directory: `${CLONE.cwd}/data` },
    {},
    "cd /home/ada/rollcall && dist/rollcall",
  ],
  [
    "with --config",
    { ...CLONE, config: "mine.toml", directory: "/srv/rollcall" },
    { "/home/ada/rollcall/mine.toml": "/srv/rollcall" },
    "/home/ada/rollcall/dist/rollcall --config /home/ada/rollcall/mine.toml",
  ],
  [
    "with --config and the name that is found",
    { config: "/etc/other.toml", directory: "/srv/rollcall" },
    { "/etc/other.toml": "/srv/rollcall" },
    "rollcall --config /etc/other.toml",
  ],
  [
    "with --env-file",
    { ...CLONE, envFile: "mine.env", directory: "/srv/rollcall" },
    { "/home/ada/rollcall/mine.env": "/srv/rollcall" },
    "/home/ada/rollcall/dist/rollcall --env-file /home/ada/rollcall/mine.env",
  ],
  [
    "with --env-file and --config",
    { config: "/etc/other.toml", envFile: "/etc/mine.env", directory: "/srv/rollcall" },
    { "/etc/mine.env": "/srv/rollcall" },
    "rollcall --config /etc/other.toml --env-file /etc/mine.env",
  ],
  [
    "with a directory from the environment",
    { ...CLONE, directory: "/srv/my data" },
    {},
    "ROLLCALL_STORAGE__DIRECTORY='/srv/my data' /home/ada/rollcall/dist/rollcall",
  ],
  ["in a container", { isContainer: true, directory: "/data" }, {}, "rollcall"],
  [
    "in the directory of the executable",
    { ...CLONE, cwd: "/home/ada/rollcall/dist", directory: "/home/ada/rollcall/dist/data" },
    {},
    "cd /home/ada/rollcall/dist && ./rollcall",
  ],
])("started %s", (_, started, by, line) => {
  expect(serviceCommandLine({ ...PACKAGED, ...started }, directories(by))).toBe(line);
});
