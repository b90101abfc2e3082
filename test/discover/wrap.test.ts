// A wrapped line of a crontab must do what the bare one did: both go through cron's rules for `%` and a real shell, and
// the bytes that come out are compared.

import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { whyItReports } from "../../src/discover/own-report.ts";
import { endOfCommand, unwrapLine, watchedKey, wrapCommand } from "../../src/discover/wrap.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "rollcall-wrap-"));
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** Runs what stands after `--`, as `rollcall run` does. */
const RUNNER = join(FOLDER, "rollcall");
writeFileSync(RUNNER, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n');
chmodSync(RUNNER, 0o755);

/** What Debian's cron hands to the shell, and what the command reads: back slashes go before `%` and back slashes. */
function asCron(text: string): { readonly command: string; readonly input: string } {
  let command = "";
  let place = 0;
  for (; place < text.length && text[place] !== "%"; place++) {
    if (text[place] !== "\\") command += text[place];
    else {
      const next = text[++place] ?? "";
      command += next === "%" || next === "\\" ? next : `\\${next}`;
    }
  }
  const input = text.slice(place + 1).replaceAll(/\\?%/g, (mark) => (mark === "%" ? "\n" : "%"));
  return { command, input };
}

function outputOf(line: string, shell: string) {
  const { command, input } = asCron(line);
  const ran = Bun.spawnSync([shell, "-c", command], {
    stdin: Buffer.from(input, "latin1"),
    cwd: FOLDER,
    env: { PATH: "/usr/bin:/bin", A: "b c" },
  });
  return {
    status: ran.exitCode,
    out: ran.stdout.toString("latin1"),
    err: ran.stderr.toString("latin1").replaceAll(/^.*?line \d+: |^\S*sh: (?:\d+: )?/gm, ""),
  };
}

const wrapped = (command: string, shell = "/bin/sh"): string => {
  const result = wrapCommand(command, shell, 0, "web1-backup", RUNNER);
  if ("why" in result) throw new Error(result.why);
  return result.text;
};

describe("a wrapped line does the same", () => {
  test.each([
    "echo a && echo b > /dev/null; echo c",
    "echo 'it is' \"$A\" $A \\$A",
    "cat%one%two\\%",
    "date +\\%Y > /dev/null; echo \\%d",
    "echo it\\'s 'a'\\''b'",
    "echo 'a\\\\b' a\\\\\\\\b",
    "echo $(echo `echo x`) | tr x y; exit 3",
    "false || { echo no; exit 4; }",
    'echo "a\'b" # a comment',
    "(echo sub) 2>&1; echo $0 > /dev/null",
    "echo \\",
    'echo ü  "\t" \r',
    "cat <<E%E",
  ])("%s", (command) => {
    for (const shell of ["/bin/sh", "/bin/bash"])
      expect(outputOf(wrapped(command, shell), shell)).toEqual(outputOf(command, shell));
  });

  test("for any text that a crontab can hold", () => {
    const letters = fc.constantFrom(..."ab '\"\\%$`;|&()<>*?~#!{}[]=\t", "echo ", "printf %s ", "cat ", "\\%", "'\\''");
    const texts = fc
      .array(letters, { minLength: 1, maxLength: 14 })
      .map((parts) => `echo ${parts.join("").trimStart()}`);
    // Also without `$$`, the number of the shell.
    const isHarmless = (text: string): boolean => !/[<>~*?&!]|\$\$/.test(text);
    fc.assert(
      fc.property(texts.filter(isHarmless), (command) => {
        const [bare, ours] = [outputOf(command, "/bin/sh"), outputOf(wrapped(command), "/bin/sh")];
        expect({ ...ours, err: ours.err !== "" }).toEqual({ ...bare, err: bare.err !== "" });
      }),
      { numRuns: 150 },
    );
  });
});

describe("an edited line is bare again", () => {
  const line = (command: string): string =>
    `0 2 * * * ${wrapped(command).replace(" -- ", " --output-from-stderr -- ")}`;

  test("for any text that a crontab can hold", () => {
    const texts = fc.string({ unit: fc.constantFrom(..."ab '\"\\%$`;|&()\t\r"), minLength: 1 });
    const isCommand = (text: string): boolean => !/^[\s%]/.test(text);
    fc.assert(
      fc.property(texts.filter(isCommand), (command) => {
        expect(unwrapLine(line(command), ["web1-backup"])).toBe(`0 2 * * * ${command}`);
      }),
    );
  });

  test.each([
    ["with another schedule", line("a 'b'").replace("0 2", "5 3"), "5 3 * * * a 'b'"],
    ["commented out", `# ${line("a")}`, "# 0 2 * * * a"],
    ["with another command", line("a").replace("'a'", "'a --all'"), "0 2 * * * a --all"],
    ["with a tail", `${line("a; b")} > log`, "0 2 * * * /bin/sh -c 'a; b' > log"],
    ["without what is said", line("a").replace(" --output-from-stderr", ""), "0 2 * * * a"],
    ["with its last line", line("a").replace("--output", "--message"), "0 2 * * * a"],
    ["with all that is said", line("a").replace(" --output", " --message-from-stderr --output"), "0 2 * * * a"],
    ["of another list", line("a").replace("web1-backup", "other"), line("a").replace("web1-backup", "other")],
  ])("%s", (_, edited, bare) => expect(unwrapLine(edited, ["web1-backup"])).toBe(bare));
});

test("the command ends at the first bare percent sign", () => {
  expect(["a%b", "a\\%b", "a\\\\%b", "a"].map(endOfCommand)).toEqual([1, 4, 3, 1]);
  expect(wrapped("cat%in")).toBe(`${RUNNER} run web1-backup -- /bin/sh -c 'cat'%in`);
});

test("the blanks that Debian's cron counts with a command count for the longest that it takes", () => {
  const command = "y".repeat(998 - wrapped("").length);
  const at = (blanks: number) => wrapCommand(command, "/bin/sh", blanks, "web1-backup", RUNNER);
  expect(at(0)).toEqual({ text: wrapped(command) });
  expect(at(1)).toEqual({ why: "wrapped it would be 999 bytes long, and cron takes 998" });
});

test.each([
  ["/usr/bin/fish", "x", "its SHELL is /usr/bin/fish, whose quoting differs from that of sh: wrap it by hand"],
  ["bash", "x", 'SHELL is "bash", which is no path of a shell'],
  ["/bin/sh", "y".repeat(990), expect.stringContaining("cron takes 998")],
])("SHELL=%s %# is left alone", (shell, command, why) =>
  expect(wrapCommand(command, shell, 0, "k", "/usr/bin/rollcall")).toEqual({ why }),
);

test("what is wrapped already is found", () => {
  expect(watchedKey(wrapped("x"))).toBe("web1-backup");
  expect(watchedKey("cd /x && rollcall run nightly -- ./y")).toBe("nightly");
  const options = "--schedule '0 2 * * *' --lock --grace=30m";
  expect(watchedKey(`/usr/bin/rollcall run ${options} backup -- ./y --all`)).toBe("backup");
  expect(watchedKey("/usr/bin/rollcall run --flush >/dev/null")).toBeNull();
  expect(watchedKey("/opt/rollcall serve")).toBeNull();
  expect(watchedKey("echo rollcall run")).toBeNull();
  expect(whyItReports("x && curl https://c.example/api/v1/ping/backup")).toContain("c.example/api/v1/ping/…");
  expect(whyItReports("/usr/bin/rollcall run --flush >/dev/null")).toContain("rollcall's own");
  expect(whyItReports("ping example.org")).toBeNull();
});
