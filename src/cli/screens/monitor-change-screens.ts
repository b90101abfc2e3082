// `rollcall monitor set|rename|deleted|undelete`: says what is in force now, and what may change it again.

import { visible } from "../../domain/text.ts";
import { nameOf, whatNext } from "./monitor-screens.ts";
import { olderOnes, type Presenter } from "./presenter.ts";
import { headIn, minute } from "./spoken.ts";
import { ownerColumn, say } from "./table.ts";

export const monitorSet: Presenter<"monitor set"> = {
  kind: "action",
  say: ({ answer: { changed, monitor, overridden, source }, screen, io }) => {
    const name = nameOf(monitor, screen);
    io.out(changed ? `changed ${name}` : `${name} was so already`);
    if (overridden.length > 0)
      say(io, `the configuration sets ${overridden.join(" and ")}, and that wins: what you set is kept beneath it`);
    if (source !== null)
      say(io, `its source ${visible(source)} declares it: what its next sync says of these settings replaces them`);
    else say(io, "what a later report of the job says of these settings replaces them");
    for (const line of whatNext(monitor, screen)) say(io, line);
  },
};

export const monitorRename: Presenter<"monitor rename"> = {
  kind: "action",
  say: ({ answer: { was, monitor, source, returnsAtStart }, screen, io }) => {
    const old = visible(was);
    io.out(`renamed ${old} to ${nameOf(monitor, screen)}, with its history`);
    say(
      io,
      `its job must report as ${visible(monitor.key)} now: a report as ${old} with a schedule creates another monitor`,
    );
    if (source !== null)
      say(
        io,
        `its source ${visible(source)} must declare it so too, else its next sync pauses it and creates ${old} again`,
      );
    if (returnsAtStart) say(io, `the configuration names ${old} with a schedule: the next start creates it again`);
  },
};

/** The last deleted first. */
export const monitorDeleted: Presenter<"monitor deleted"> = {
  kind: "list",
  items: ({ deleted }) => deleted,
  none: () => "no monitor was deleted in the last 7 days",
  head: (screen) => [
    ...ownerColumn(screen, "APPLICATION"),
    "MONITOR",
    headIn(screen, "DELETED"),
    "HISTORY GOES",
    "KEY",
  ],
  rows: ({ deleted }, screen) =>
    deleted.map(({ application, key, deletedAt, historyUntil, keyIsTaken }) => [
      ...ownerColumn(screen, application),
      key,
      minute(deletedAt, screen),
      minute(historyUntil, screen),
      keyIsTaken ? "has another monitor" : "free",
    ]),
  beside: ({ deleted, more }) => olderOnes(deleted.length, more),
};

export const monitorUndelete: Presenter<"monitor undelete"> = {
  kind: "action",
  say: ({ answer: { monitor }, screen, io }) => {
    io.out(`brought monitor ${nameOf(monitor, screen)} back`);
    for (const line of whatNext(monitor, screen)) say(io, line);
  },
};
