// What packaging/ installs, and which Bun it lets compile: the parts that need no other system. `test/task
// test-package` and `test/task test-image` try the rest in a new Debian.

import { expect, setDefaultTimeout, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { configIn } from "./support/config-world.ts";
import { EXECUTABLE, ROOT } from "./support/executable.ts";

setDefaultTimeout(120_000);

interface Place extends Disposable {
  readonly path: string;
  /** Runs a script of packaging/ with these variables; answers its exit code and all it wrote. */
  run(
    script: string,
    args: readonly string[],
    environment?: Record<string, string>,
  ): { exitCode: number; said: string };
}

/** A copy of what packaging/ needs of the repository. */
function openPlace(): Place {
  const path = mkdtempSync(join(tmpdir(), "rollcall-packaging-"));
  for (const part of ["packaging", "docs", "src", "drizzle", "README.md", "package.json", "tsconfig.json"]) {
    cpSync(join(ROOT, part), join(path, part), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return {
    path,
    run: (script, args, environment = {}) => {
      const env = { PATH: process.env["PATH"] ?? "", ...environment };
      const { exitCode, stdout, stderr } = Bun.spawnSync([join(path, "packaging", script), ...args], {
        cwd: path,
        env,
      });
      return { exitCode, said: stdout.toString() + stderr.toString() };
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .filter((file) => !file.includes("/share/doc/"))
    .sort();

test("make install puts everything in its place, and make uninstall takes all but the configuration away", () => {
  using place = openPlace();
  expect(place.run("share.sh", [EXECUTABLE, "dist/share"], { BUN: process.execPath })).toEqual({
    exitCode: 0,
    said: "",
  });
  const target = join(place.path, "target");
  const where = { DESTDIR: target, PREFIX: "/opt/rollcall", EXECUTABLE };
  expect(place.run("install.sh", ["install"], where)).toEqual({ exitCode: 0, said: "" });
  expect(filesIn(target)).toEqual([
    "/etc/rollcall/rollcall.toml",
    "/opt/rollcall/bin/rollcall",
    "/opt/rollcall/bin/rollcall-run",
    "/opt/rollcall/lib/systemd/system/rollcall-flush.service",
    "/opt/rollcall/lib/systemd/system/rollcall-flush.timer",
    "/opt/rollcall/lib/systemd/system/rollcall.service",
    "/opt/rollcall/lib/systemd/system/rollcall.socket",
    "/opt/rollcall/lib/sysusers.d/rollcall.conf",
    "/opt/rollcall/lib/tmpfiles.d/rollcall.conf",
    "/opt/rollcall/share/bash-completion/completions/rollcall",
    "/opt/rollcall/share/fish/vendor_completions.d/rollcall.fish",
    "/opt/rollcall/share/man/man1/rollcall.1.gz",
    "/opt/rollcall/share/zsh/site-functions/_rollcall",
  ]);
  const unit = readFileSync(join(target, "opt/rollcall/lib/systemd/system/rollcall.service"), "utf8");
  expect(unit).toContain("\nExecStart=/opt/rollcall/bin/rollcall serve\n");
  const flush = join(target, "opt/rollcall/lib/systemd/system/rollcall-flush.service");
  expect(readFileSync(flush, "utf8")).toContain("\nExecStart=/opt/rollcall/bin/rollcall run --flush\n");

  const config = join(target, "etc/rollcall/rollcall.toml");
  const settings = readFileSync(config, "utf8").match(/^[a-z_]+ = .*$/gm);
  expect(settings).toEqual(['directory = "/var/lib/rollcall"']);
  writeFileSync(config, "# mine");
  expect(place.run("install.sh", ["install"], where).exitCode).toBe(0);
  expect(place.run("install.sh", ["uninstall"], where).exitCode).toBe(0);
  expect(filesIn(target)).toEqual(["/etc/rollcall/rollcall.toml"]);
  expect(readFileSync(config, "utf8")).toBe("# mine");
});

test("the documents that are installed are what an operator reads, and their links lead to each other", () => {
  using place = openPlace();
  place.run("share.sh", [EXECUTABLE, "dist/share"], { BUN: process.execPath });
  const folder = join(place.path, "dist/share/doc");
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"));
  expect(pages).toContain("docs/operations.md");
  expect(pages).not.toContain("docs/decisions.md");
  const texts = pages.map((path) => [path, readFileSync(join(folder, path), "utf8")] as const);
  const dead = texts.flatMap(([path, text]) =>
    [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^https?:/.test(target) && !existsSync(join(folder, dirname(path), target)))
      .map((target) => `${path}: ${target}`),
  );
  expect(dead).toEqual([]);
});

test("the manual names every command, and the version", () => {
  using place = openPlace();
  place.run("share.sh", [EXECUTABLE, "dist/share"], { BUN: process.execPath });
  const page = Bun.gunzipSync(readFileSync(join(place.path, "dist/share/rollcall.1.gz")));
  const text = new TextDecoder().decode(page).replaceAll("\\-", "-");
  const { version } = JSON.parse(readFileSync(join(place.path, "package.json"), "utf8"));
  expect(text).toContain(`"rollcall ${version}"`);
  for (const command of ["serve", "key create", "monitor pause", "systemd-unit"]) {
    expect(text).toContain(`\n.SS rollcall ${command} `);
  }
  expect(text).toMatch(/\n\.B 3\nthe service is not running\n/);
});

test("a Bun that is another file than its hash says is not used", () => {
  using place = openPlace();
  const tools = join(place.path, "tools");
  mkdirSync(tools);
  // A registry that hands out something else.
  const npm =
    "#!/bin/sh\nmkdir -p package/bin && echo other >package/bin/bun && tar -czf bun.tgz package && echo bun.tgz\n";
  writeFileSync(join(tools, "npm"), npm, { mode: 0o755 });
  const file = join(place.path, "bun");
  const fetch = () => place.run("fetch-bun.sh", ["1.4.5", "linux-x64", file], { PATH: `${tools}:/usr/bin:/bin` });
  expect(fetch()).toEqual({ exitCode: 1, said: expect.stringContaining("it was thrown away") });
  expect(existsSync(file)).toBe(false);

  const hash = new Bun.CryptoHasher("sha256").update("other\n").digest("hex");
  writeFileSync(join(place.path, "packaging/bun.sha256"), `${hash}  bun-linux-x64\n`);
  expect(fetch().exitCode).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("other\n");
});

test("the compose file is YAML that takes all rights away, and its variables are ours, those behind a # too", () => {
  const text = readFileSync(join(ROOT, "packaging/compose.yaml"), "utf8");
  const lines = text.replaceAll(/^( +)# (ROLLCALL_|- \.\/)/gm, "$1$2");
  const { services, volumes } = Bun.YAML.parse(lines) as ReturnType<typeof JSON.parse>;
  expect(services.rollcall).toMatchObject({
    read_only: true,
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
    ports: ["127.0.0.1:8787:8787"],
    volumes: ["data:/var/lib/rollcall", "./rollcall.toml:/etc/rollcall/rollcall.toml:ro"],
  });
  expect(volumes).toEqual({ data: null });
  const { environment } = services.rollcall;
  expect(Object.keys(environment)).toContain("ROLLCALL_SERVER__TIMEZONE");
  expect([...configIn({ environment }).destinations.keys()]).toEqual(["ops"]);
});
