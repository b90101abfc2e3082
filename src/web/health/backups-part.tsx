// How rollcall's backups are: the newest, when the next is due, and what went wrong.

import type { Instant } from "../../domain/time.ts";
import { sizeInWords } from "../../domain/wording/size.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { BackupList } from "../../engine/operations/answers/backups.ts";
import { Ago, Until } from "../parts/moment.tsx";
import { Shape } from "../parts/shapes.tsx";
import { shownLine } from "../shown.ts";

interface BackupsProps extends Omit<BackupList, "at"> {
  readonly now: Instant;
  readonly timezone: string;
}

export const Backups = ({ backups, directory, everySeconds, nextAt, lastFailure, now, timezone }: BackupsProps) => {
  const [newest] = backups;
  return (
    <section class="group" aria-labelledby="backups">
      <h2 class="group-head" id="backups">
        Backups
      </h2>
      {lastFailure === null ? null : (
        <p class="trouble">
          <Shape standing="warning" />
          <span>
            The last one failed <Ago at={lastFailure.at} now={now} timezone={timezone} />:{" "}
            {shownLine(lastFailure.reason)}
          </span>
        </p>
      )}
      <p class="nothing">
        {newest === undefined ? (
          "There is none yet."
        ) : (
          <>
            {counted(backups.length, "backup")} in <code>{directory}</code>; the newest{" "}
            <Ago at={newest.at} now={now} timezone={timezone} />, {sizeInWords(newest.bytes)}.
          </>
        )}{" "}
        {everySeconds === 0 || nextAt === null ? (
          "None is made by itself (storage.backup_every)."
        ) : (
          <>
            The next is due <Until at={nextAt} now={now} timezone={timezone} />.
          </>
        )}
      </p>
    </section>
  );
};
