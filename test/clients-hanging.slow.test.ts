// What the README and docs/clients.md have a job do, against a rollcall that takes the connection and never answers: a
// report may hold the job up for five seconds, and never changes how it ends.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, JOBS, localize, placeScript, startCommand } from "./support/clients.ts";
import { ROOT } from "./support/executable.ts";
import { startRawSink } from "./support/http-sink.ts";
import { blocksOf } from "./support/readme.ts";

setDefaultTimeout(120_000);

/** Twice what a report may take, since other tests run beside this one. Milliseconds. */
const REPORT_MAX = 10_000;

const PAGES = ["README.md", "docs/clients.md"].map((page) => readFileSync(join(ROOT, page), "utf8"));

/** Every line of a crontab, without its times. */
const LINES = PAGES.flatMap((page) =>
  [...page.matchAll(/^0 2 \* \* \* {2}(.*(?:curl|wget).*)$/gm)].map(([, line]) => line!),
);

const SCRIPTS = [
  { language: "sh", ending: "sh", program: "curl" },
  { language: "python", ending: "py", program: "python3" },
  { language: "php", ending: "php", program: "php" },
  { language: "js", ending: "mjs", program: "node" },
];

describe("against a rollcall that hangs", () => {
  test("there are lines to be tried, with curl and with wget", () => {
    expect(LINES.filter((line) => line.includes("curl"))).toHaveLength(2);
    expect(LINES.filter((line) => line.includes("wget"))).toHaveLength(1);
  });

  const tried = LINES.filter((line) => ["curl", "wget"].every((one) => !line.includes(`${one} `) || isInstalled(one)));

  test.concurrent.each(tried)("a line ends, and as the job did: %s", async (line) => {
    await using sink = await startRawSink();
    const address = `http://127.0.0.1:${sink.port}`;
    using places = placeScript("", "sh", "exit 3");
    const command = localize(line, places.folder).replace("https://cron.example.org", address);
    const began = performance.now();
    const { exitCode } = await startCommand(["sh", "-c", command], { KEY: "ck_app_x", ROLLCALL_KEY: "ck_app_x" }).ended;
    // A machine that stands still may use up the time in which curl tries again.
    expect(sink.connections()).toBeWithin(1, 3);
    expect({ exitCode, inTime: performance.now() - began < REPORT_MAX }).toEqual({ exitCode: 3, inTime: true });
  });

  for (const { language, ending, program } of SCRIPTS) {
    test
      .skipIf(!isInstalled(program))
      .concurrent(`the script in ${language} ends with its start and its end untold`, async () => {
        await using sink = await startRawSink();
        const [script] = blocksOf(PAGES[1]!).filter((block) => block.language === language);
        using places = placeScript(script!.text, ending, JOBS.succeeds);
        const environment = { ROLLCALL_URL: `http://127.0.0.1:${sink.port}`, ROLLCALL_KEY: "ck_app_x" };
        const began = performance.now();
        const { exitCode } = await startCommand([places.script], environment).ended;
        expect(sink.connections()).toBeGreaterThanOrEqual(4);
        expect({ exitCode, inTime: performance.now() - began < 2 * REPORT_MAX }).toEqual({ exitCode: 0, inTime: true });
      });
  }
});
