// R47: what a mail means, by the words of its subject and text. The mails are as the devices write them.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isMailRule, MAIL_PRESETS, type MailMeaning, meaningOf } from "../../src/domain/settings/mail-rule.ts";

type Case = readonly [subject: string, text: string, meaning: MailMeaning];

const MAILS: Readonly<Record<string, readonly Case[]>> = {
  usual: [
    ["Backup of db01 completed", "", "success"],
    ["Backup of db01 FAILED", "", "failure"],
    ["Backup of db01 started", "", "start"],
    ["Nightly report", "Copied 812 files.\nErrors: 0, warnings: 2", "success"],
    ["Nightly report", "Copied 812 files, 0 failed, no errors, without any error.", "success"],
    ["Nightly report", "Disk 0 failed.", "failure"],
    ["Nightly report", "Result: failed: 0x80070005", "failure"],
    ["Nightly report", "Started at 01:00.\nNothing else to tell.", "success"],
    ["Job unsuccessful", "", "failure"],
    ["Backup failed, another has started", "", "failure"],
    ["Backup started, the one before was a success", "", "start"],
    // The subject decides, whatever the text quotes.
    ["Backup successful", "The log has: error handler installed", "success"],
    ["", "", "success"],
  ],
  healthchecks: [
    ["Backup FAILED", "error", "success"],
    ["", "", "success"],
  ],
  cron: [["Cron <root@nas> /usr/local/bin/backup", "rsync: connection unexpectedly closed\n", "failure"]],
  qnap: [
    [
      "[Information][NAS01] Notification from your device: NAS01",
      "NAS Name: NAS01\nSeverity: Information\nApp Name: Hybrid Backup Sync\nCategory: Job Status\nMessage: [Hybrid Backup Sync] Finished Backup job: “Photos”.",
      "success",
    ],
    [
      "[Error][NAS01] Notification from your device: NAS01",
      "NAS Name: NAS01\nSeverity: Error\nApp Name: Hybrid Backup Sync\nMessage: [Hybrid Backup Sync] Failed to complete Backup job: “Photos”.",
      "failure",
    ],
    [
      "Notification from your device: NAS01",
      "Severity: Warning\nMessage: [Storage & Snapshots] RAID group 1 is degraded.",
      "failure",
    ],
    ["[Information][NAS01] Backup job “Photos” started", "", "start"],
  ],
  synology: [
    ["[DiskStation] Backup task [Photos to C2] completed successfully", "Start Time: 02:00", "success"],
    ["Your backup task Photos was successful on DiskStation", "", "success"],
    ["[DiskStation] Backup task Photos failed on DiskStation", "", "failure"],
    ["[DiskStation] Backup task Photos partially completed", "", "failure"],
    ["Storage Pool 1 on DiskStation has degraded", "", "failure"],
    ["[DiskStation] Volume 1 has crashed", "", "failure"],
  ],
  proxmox: [
    ["vzdump backup status (pve1.example.org): backup successful", "101: INFO: errors=remount-ro", "success"],
    ["vzdump backup status (pve1.example.org): backup failed", "VMID NAME STATUS\n101 web err", "failure"],
    ["vzdump backup status (pve1) : backup failed: connection error", "", "failure"],
    ["Garbage Collect Datastore 'main' successful", "", "success"],
    ["Verify Datastore 'main' failed", "", "failure"],
  ],
  smartd: [
    ["SMART error (CurrentPendingSector) detected on host: nas", "Device: /dev/sda", "failure"],
    ["SMART error (EmailTest) detected on host: nas", "TEST EMAIL from smartd for device: /dev/sda", "ignore"],
  ],
  mdadm: [
    ["DegradedArray event on /dev/md0:nas", "A DegradedArray event had been detected", "failure"],
    ["Fail event on /dev/md0:nas", "It could be related to component device /dev/sdb1.", "failure"],
    ["TestMessage event on /dev/md0:nas", "This is an automatically generated mail message", "ignore"],
    ["RebuildFinished event on /dev/md0:nas", "", "success"],
  ],
  ups: [
    ["nas Power Failure !!!", "nas UPS ups1 Power Failure !!!", "failure"],
    ["nas Power has returned", "nas UPS ups1 power has returned.", "success"],
    ["nas UPS communications lost", "Communications with UPS ups1 lost", "failure"],
    ["NUT", "UPS ups1@localhost on battery", "failure"],
    ["NUT", "UPS ups1@localhost on line power", "success"],
    ["NUT", "UPS ups1@localhost battery needs to be replaced", "failure"],
    ["NUT", "Communications with UPS ups1@localhost established", "success"],
    ["apcupsd", "UPS Self Test switch to battery.", "ignore"],
  ],
};

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
    ["Probe: [rot]", "ignore"],
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
      ["failover", "failure"],
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

  test("follow a preset, and replace its own", () => {
    expect(meaningOf("proxmox; else: failure", { subject: "something", text: "" })).toBe("failure");
    expect(meaningOf("smartd; ignore: nothing", { subject: "SMART error (EmailTest)", text: "" })).toBe("failure");
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
      expect(["ignore", "failure", "start", "success"]).toContain(meaningOf(one, { subject, text: body }));
    }),
  );
});
