// Tells the team that a backup failed, or what is done with one: nobody looks at backups until they are needed.

import type { BackupFailure } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { Announcer } from "./announce.ts";
import { workingRoutes } from "./elsewhere.ts";
import { raiseNotice } from "./notices.ts";

interface BackupNewsParts {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly announcer: Announcer;
}

/** Throws what SQLite throws, and then nobody hears of it. */
export function createBackupNews({ context, committer, announcer }: BackupNewsParts): (failure: BackupFailure) => void {
  return (failure) => {
    const raised = committer.one((now) =>
      raiseNotice(context, { kind: "backup", ...failure }, workingRoutes(context, []), now),
    );
    announcer.notices([raised]);
  };
}
