// `rollcall backup` and `rollcall backups`: waits until a copy is proved, and lists those that are there.

import { durationText } from "../../domain/time.ts";
import { sizeInWords } from "../../domain/wording/size.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import { after } from "../clock.ts";
import { DONE, REFUSED } from "../io.ts";
import type { Presenter } from "./presenter.ts";
import { headIn, minute, moment } from "./spoken.ts";
import { say } from "./table.ts";

type WrittenBackup = WrittenAnswer<"backup">;

/** Milliseconds between two looks. */
const LOOK_EVERY = 250;
/** How it goes is said after a second, and then ten times as rarely. */
const LOOKS_UNTIL_SAID = 4;
const LOOKS_UNTIL_SAID_AGAIN = 40;

/** Exit code 0 once the copy is whole, proved and on disk, and the operator's command has ended well. */
export const backupMake: Presenter<"backup"> = {
  kind: "dialogue",
  hold: async ({ answer, io, ask }) => {
    for (let look = 1, backup: WrittenBackup = answer; ; look++) {
      if (backup.state === "failed") {
        say(io, backup.copied === null ? `no backup was made: ${backup.fault}` : `the backup is at ${backup.file}`);
        if (backup.copied !== null) say(io, `but storage.backup_command failed with it: ${backup.fault}`);
        return { exitCode: REFUSED, ended: backup };
      }
      if (backup.state === "done") {
        const { bytes, monitors } = backup.copied!;
        io.out(`${backup.file}: ${sizeInWords(bytes)}, ${counted(monitors, "monitor")}, proved`);
        return { exitCode: DONE, ended: backup };
      }
      if (look === LOOKS_UNTIL_SAID || look % LOOKS_UNTIL_SAID_AGAIN === 0) {
        const health = await ask("backups", {});
        if ("exitCode" in health) return { ...health, ended: null };
        const { underWay } = health.answer;
        if (underWay !== null)
          say(
            io,
            underWay.state === "sending"
              ? "the copy is made; storage.backup_command runs"
              : `copying: ${sizeInWords(underWay.bytes)} so far`,
          );
      }
      await new Promise<void>((resolve) => after(LOOK_EVERY, resolve));
      const asked = await ask("backup show", { id: answer.id });
      if ("exitCode" in asked) return { ...asked, ended: null };
      backup = asked.answer;
    }
  },
};

/** Newest first. */
export const backupList: Presenter<"backups"> = {
  kind: "list",
  items: ({ backups }) => backups,
  none: () => "there is no backup yet",
  head: (screen) => ["MADE", "SIZE", "FILE"].map((name, place) => (place === 0 ? headIn(screen, name) : name)),
  rows: ({ backups }, screen) => backups.map(({ at, bytes, file }) => [minute(at, screen), sizeInWords(bytes), file]),
  beside: ({ underWay, lastFailure, nextAt, everySeconds, keep }, screen) => [
    ...(underWay === null ? [] : [`one is being made: ${underWay.file}, ${sizeInWords(underWay.bytes)} so far`]),
    ...(lastFailure === null
      ? []
      : [
          `the last ${lastFailure.step === "copy" ? "one" : "run of storage.backup_command"} failed at ${moment(lastFailure.at, screen)}: ${lastFailure.reason}`,
        ]),
    nextAt === null
      ? "none is made by itself: storage.backup_every is 0"
      : `the next is due at ${moment(nextAt, screen)}: one every ${durationText(everySeconds)}, and the newest ${keep} stay`,
  ],
};
