// A command of root's in a directory of somebody else: that user's configuration and service are not believed, and
// nothing is sent to them. Needs root, and setpriv to be that user.

import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXECUTABLE, fileInTheWay, ROOT } from "../support/executable.ts";

const GAMES = 5;

interface Place extends Disposable {
  readonly directory: string;
  /** As root, there. */
  run(
    args: readonly string[],
    environment?: Record<string, string>,
  ): { readonly exitCode: number; readonly err: string };
}

function placeOf(owner: number): Place {
  const directory = mkdtempSync(join(tmpdir(), "rollcall-strangers-"));
  chownSync(directory, owner, owner);
  chmodSync(directory, 0o755);
  return {
    directory,
    run: (args, environment = {}) => {
      const { exitCode, stderr } = Bun.spawnSync([EXECUTABLE, ...args], {
        cwd: directory,
        env: { HOME: directory, PATH: process.env["PATH"], ...environment },
        stdin: "ignore",
      });
      return { exitCode, err: stderr.toString() };
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

/** A socket of this user that writes down what it hears; it answers nothing. */
async function listenAs(user: number, socket: string, heard: string) {
  const script = `const text = []; Bun.serve({ unix: ${JSON.stringify(socket)}, fetch: async (request) => {
    require("node:fs").appendFileSync(${JSON.stringify(heard)}, request.url + await request.text()); return new Response("{}"); } });
    console.log("listening");`;
  const child = Bun.spawn(
    ["setpriv", "--reuid", `${user}`, "--regid", `${user}`, "--clear-groups", process.execPath, "-e", script],
    { env: { PATH: process.env["PATH"], HOME: "/tmp" }, stdin: "ignore", stdout: "pipe", stderr: "inherit" },
  );
  await child.stdout.getReader().read();
  return { [Symbol.dispose]: () => child.kill() };
}

describe.if(process.getuid?.() === 0 && Bun.which("setpriv") !== null)("root", () => {
  const SETTINGS = '[storage]\ndirectory = "theirs"\n';

  test("reads no rollcall.toml of another user that it finds, and one that is named", () => {
    using place = placeOf(GAMES);
    const file = join(place.directory, "rollcall.toml");
    writeFileSync(file, SETTINGS);
    chownSync(file, GAMES, GAMES);
    for (const args of [["status"], ["config", "check"]])
      expect(place.run(args)).toEqual({
        exitCode: 2,
        err: expect.stringMatching(/^rollcall\.toml: file: is not read, because it belongs to games, .*--config\n$/),
      });
    expect(place.run(["config", "check", "--config", "rollcall.toml"]).exitCode).toBe(0);
    expect(place.run(["config", "check"], { ROLLCALL_CONFIG: file }).exitCode).toBe(0);
    chownSync(file, 0, 0);
    expect(place.run(["config", "check"]).exitCode).toBe(0);
    chmodSync(file, 0o666);
    expect(place.run(["config", "check"]).err).toContain("because others may write it (mode 666)");
    chmodSync(file, 0o664);
    expect(place.run(["config", "check"]).exitCode).toBe(0);
    chownSync(file, 0, GAMES);
    expect(place.run(["config", "check"]).err).toContain("because others may write it (mode 664)");
  });

  test("reads none by another user's link either", () => {
    using place = placeOf(GAMES);
    const other = join(place.directory, "other.toml");
    writeFileSync(other, SETTINGS);
    const link = join(place.directory, "rollcall.toml");
    symlinkSync(other, link);
    Bun.spawnSync(["chown", "-h", "games", link]);
    expect(place.run(["config", "check"]).err).toContain("because it belongs to games");
  });

  test("sends nothing to another user's socket, unless a trusted configuration leads there", async () => {
    using place = placeOf(GAMES);
    const data = join(place.directory, "data");
    mkdirSync(data);
    chownSync(data, GAMES, GAMES);
    const heard = join(place.directory, "heard");
    using _ = await listenAs(GAMES, join(data, "rollcall.sock"), heard);
    const { exitCode, err } = place.run(["status"]);
    expect(exitCode).toBe(1);
    expect(err).toContain(`nothing was sent: ${data} belongs to games`);
    expect(await Bun.file(heard).exists()).toBe(false);
    place.run(["status"], { ROLLCALL_STORAGE__DIRECTORY: data });
    expect(await Bun.file(heard).text()).toStartWith("http://localhost/operations/");

    chownSync(data, 0, 0);
    rmSync(heard);
    expect(place.run(["status"]).err).toContain(`nothing was sent: ${join(data, "rollcall.sock")} belongs to games`);
    expect(place.run(["status"], { ROLLCALL_STORAGE__DIRECTORY: data }).exitCode).toBe(1);
    expect(await Bun.file(heard).exists()).toBe(false);
  });
});

test("foreign code runs in the executable by two variables alone, and the documents name them", () => {
  using place = placeOf(process.getuid?.() ?? 0);
  const script = join(place.directory, "foreign.js");
  const mark = join(place.directory, "ran");
  writeFileSync(script, `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");\n`);
  writeFileSync(join(place.directory, ".bunfig.toml"), `preload = [${JSON.stringify(script)}]\n`);
  writeFileSync(join(place.directory, "bunfig.toml"), `preload = [${JSON.stringify(script)}]\n`);
  const tried: Record<string, string> = {
    BUN_OPTIONS: `--preload ${script}`,
    BUN_BE_BUN: "1",
    BUN_PRELOAD: script,
    BUN_INSPECT_PRELOAD: script,
    BUN_CONFIG_FILE: join(place.directory, "bunfig.toml"),
    NODE_OPTIONS: `--require ${script}`,
    XDG_CONFIG_HOME: place.directory,
  };
  const ran = Object.entries(tried).filter(([name, value]) => {
    rmSync(mark, { force: true });
    place.run(name === "BUN_BE_BUN" ? [script] : ["version"], { [name]: value });
    return existsSync(mark);
  });
  expect(ran.map(([name]) => name)).toEqual(["BUN_OPTIONS", "BUN_BE_BUN"]);
  const document = readFileSync(join(ROOT, "docs/operations.md"), "utf8");
  for (const [name] of ran) expect(document).toContain(`\`${name}\``);
});

test("the tests of the executable say that a configuration of the machine is in their way", () => {
  using place = placeOf(process.getuid!());
  const file = join(place.directory, "rollcall.toml");
  expect(fileInTheWay([file])).toBe(null);
  writeFileSync(file, "");
  expect(fileInTheWay([join(place.directory, "client.toml"), file])).toBe(file);
});
