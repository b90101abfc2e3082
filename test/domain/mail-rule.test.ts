// R47: what a mail means, by the words of its subject and text. The mails are as the devices write them.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isMailRule, MAIL_PRESETS, meaningOf } from "../../src/domain/mail/mail-rule.ts";
import { MAILS } from "./mail-table.ts";

const ALL = Object.entries(MAILS).flatMap(([rule, cases]) => cases.map((mail) => [rule, ...mail] as const));

describe("R47: a mail of", () => {
  test("every preset is here", () => expect(Object.keys(MAILS)).toEqual([...MAIL_PRESETS]));
  test.each(ALL)("%s: %p, %p means %s", (rule, subject, text, meaning) => {
    expect(meaningOf(rule, { subject, text })).toBe(meaning);
    if (rule === "usual") expect(meaningOf(null, { subject, text })).toBe(meaning);
  });
});

describe("R47: a person's words", () => {
  const rule = "failure: aus dem Tritt, [rot]; start: läuft an; success: grün; ignore: Probe; else: failure";
  test.each([
    ["Die Pumpe ist AUS  DEM Tritt", "failure"],
    ["Stand: [ROT]", "failure"],
    ["Die Pumpe LÄUFT AN", "start"],
    ["alles grün", "success"],
    ["alles grün, aber [rot]", "failure"],
    ["Probe: grün", "ignore"],
    ["Probe: [rot]", "failure"],
    ["nicht grün", "failure"],
    ["etwas anderes", "failure"],
  ] as const)("decide: %s", (subject, meaning) => {
    expect(meaningOf(rule, { subject, text: "" })).toBe(meaning);
  });

  test("begin a word, and are no pattern", () => {
    const words = "failure: fail; success: success, a.c; else: ignore";
    for (const [subject, meaning] of [
      ["unsuccessful", "ignore"],
      ["abc", "ignore"],
      ["a.cd", "success"],
      ["failures", "failure"],
      ["failover", "ignore"],
    ] as const)
      expect(meaningOf(words, { subject, text: "" })).toBe(meaning);
  });

  test("may be looked for in one place alone, or in both at once", () => {
    const mail = { subject: "Report: done", text: "one part is broken" };
    const words = "failure: broken; success: done; else: ignore";
    expect(meaningOf(words, mail)).toBe("success");
    expect(meaningOf(`${words}; in: subject`, mail)).toBe("success");
    expect(meaningOf(`${words}; in: body`, mail)).toBe("failure");
    expect(meaningOf(`${words}; in: both`, mail)).toBe("failure");
  });

  test("are each looked at, however many a mail has: 300 disks without errors are no failure", () => {
    const words = "failure: error, fail; success: success; else: ignore";
    const lines = (denied: string) => Array.from({ length: 300 }, (_, disk) => `disk ${disk}: 0 errors, ${denied}`);
    const text = lines("not failed").join("\n");
    expect(meaningOf(words, { subject: "Backup: success", text })).toBe("success");
    expect(meaningOf(`${words}; in: both`, { subject: "Backup: success", text })).toBe("success");
    expect(meaningOf(`${words}; in: both`, { subject: "Backup: success", text: `${text}\ndisk 300 failed` })).toBe(
      "failure",
    );
  });

  test("R47: a success in part is seen behind any number of whole ones", () => {
    const text = `${"job done successfully\n".repeat(300)}1 of 3 jobs successful`;
    expect(meaningOf("usual", { subject: "Report", text })).not.toBe("success");
  });

  test("follow a preset, and are added to its own", () => {
    for (const subject of ["Backup task abgewürgt", "Backup task failed"])
      expect(meaningOf("synology; failure: abgewürgt", { subject, text: "" })).toBe("failure");
    expect(meaningOf("proxmox; else: failure", { subject: "something", text: "" })).toBe("failure");
    expect(meaningOf("smartd; ignore: nothing", { subject: "SMART error (EmailTest)", text: "" })).toBe("ignore");
  });

  test.each(["nonsense", "constructor", "failure:", "failure: ,", "in: nowhere", "else: maybe", "fails: x", "qnap; x"])(
    "make no rule: %p",
    (text) => expect(isMailRule(text)).toBe(false),
  );
});

test("R47: any text means something under any rule, whatever letters it has", () => {
  const rule = fc.constantFrom(...MAIL_PRESETS, "failure: [, (, *, \\, $; else: ignore", "success: 🙂, ſ, ß");
  const text = fc.string({ unit: "binary", maxLength: 300 });
  fc.assert(
    fc.property(rule, text, text, (one, subject, body) => {
      expect(["ignore", "failure", "start", "success", "unclear"]).toContain(meaningOf(one, { subject, text: body }));
    }),
  );
});
