// Destinations that are programs: what one gets, what its end means, and that nothing of it outlives its time. Programs
// and signals are real.

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProgramRunner } from "../../src/backup/programs.ts";
import { after } from "../../src/cli/clock.ts";
import { CHANNELS, createChannel } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, bodyThrough } from "../support/alerts.ts";
import { until } from "../support/executable.ts";
import { chatDelivery } from "./chats.ts";

const folder = mkdtempSync(join(tmpdir(), "rollcall-command-"));
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const read = (name: string): string => readFileSync(at(name), "utf8");

let written = 0;

/** A program of these lines. */
function programOf(script: string, mode = 0o755, head = "#!/bin/sh"): string {
  const program = at(`program-${++written}`);
  writeFileSync(program, `${head}\ncd ${folder}\n${script}\n`, { mode });
  return program;
}

const ALERT = alertOf({ failureMessage: "disk full", output: "no space left" });

function commandOf(program: string, limit = 15_000) {
  const { run, stop } = createProgramRunner({ PATH: process.env["PATH"], LANG: "C" }, limit, after);
  return { channel: createChannel({ type: "command", program, run }), stop };
}

const endOf = (program: string, limit?: number, message: Parameters<typeof chatDelivery>[0] = ALERT, plain = false) =>
  commandOf(program, limit).channel.send(chatDelivery(message), { sentAt: ALERT_AT, plain });

describe("a destination that is a program", () => {
  test("R37: reads what a webhook gets, without arguments, in an environment with nothing of ours but a mark", async () => {
    const program = programOf("cat > body; echo $# > arguments; env | sort > environment; echo queued");
    expect(await endOf(program)).toEqual({ verdict: "delivered", answer: "exit code 0: queued" });
    const webhook = CHANNELS.webhook({ url: "http://127.0.0.1:1", secret: `whsec_${"A".repeat(32)}` });
    expect(read("body")).toBe(bodyThrough(webhook, ALERT));
    expect(JSON.parse(read("body"))).toMatchObject({ data: { failureMessage: "disk full", output: "no space left" } });
    expect(read("arguments")).toBe("0\n");
    const names = read("environment").match(/^\w+(?==)/gm)!;
    expect(names.filter((name) => !["_", "OLDPWD", "PWD", "SHLVL"].includes(name))).toEqual([
      "LANG",
      "PATH",
      "STARTED_BY_ROLLCALL",
      "WEBHOOK_ID",
    ]);
    expect(read("environment")).toContain(`WEBHOOK_ID=${chatDelivery(ALERT).reference}\n`);
  });

  test("R36: gets the plain form without what callers wrote", async () => {
    await endOf(programOf("cat > plain"), undefined, ALERT, true);
    expect(JSON.parse(read("plain")).data).toMatchObject({ name: "nightly-backup", failureMessage: null, links: {} });
  });

  test("may leave what it is told unread, however long that is", async () => {
    const vast = alertOf({ note: "x".repeat(1_000_000) });
    expect(await endOf(programOf("exit 0"), undefined, vast)).toEqual({ verdict: "delivered", answer: "exit code 0" });
    expect(await endOf(programOf("wc -c"), undefined, vast)).toMatchObject({
      answer: expect.stringMatching(/^exit code 0: 100\d{4}$/),
    });
  });

  test("R40: says the last line of its faults, short and without secrets", async () => {
    const script = `echo out; echo first >&2; printf 'no login: token=hunter22 ck_app_prod_${"a".repeat(32)}\\n' >&2; exit 1`;
    expect(await endOf(programOf(script))).toEqual({
      verdict: "retry",
      answer: "exit code 1: no login: token=*** ck_app_***",
    });
    const { answer } = await endOf(programOf(`head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1`));
    expect(answer).toMatch(/^exit code 1: x{200}$/);
  });

  test("is ended with all that it started when its time is over, or when rollcall stops", async () => {
    const program = programOf('sleep 300 & echo $! > "pid-$$"; mv "pid-$$" child; wait');
    expect(await endOf(program, 500)).toEqual({
      verdict: "retry",
      answer: "it had not ended after 0.5 s: perhaps done",
      perhapsTaken: true,
    });
    await until("the end of its child", () => !existsSync(`/proc/${read("child").trim()}`) || null);
    rmSync(at("child"));
    const { channel, stop } = commandOf(program);
    const ended = channel.send(chatDelivery(ALERT), { sentAt: ALERT_AT, plain: false });
    await until("its child", () => existsSync(at("child")) || null);
    stop();
    expect(await ended).toEqual({ verdict: "retry", answer: "a signal ended it" });
    await until("the end of its child", () => !existsSync(`/proc/${read("child").trim()}`) || null);
  });

  test("takes what began a session of its own with it, so that no try leaves one more", async () => {
    const program = programOf("setsid sh -c 'echo $$ > far; exec sleep 300' & sleep 300");
    expect(await endOf(program, 1_000)).toMatchObject({ verdict: "retry" });
    await until("the end of the session", () => !existsSync(`/proc/${read("far").trim()}`) || null);
  });

  test("that leaves a program behind, out of our reach, is not waited for longer than its time", async () => {
    const program = programOf("setsid env -i /bin/sleep 20 & sleep 0.1; exit 0");
    expect(await endOf(program, 1_000)).toEqual({ verdict: "delivered", answer: "exit code 0" });
  });
});
