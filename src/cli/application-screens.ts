// `rollcall app …` and `rollcall key …`: says what they did. Shows a new key once, on stdout and nowhere else.

import { say } from "./io.ts";
import type { Presenter } from "./presenter.ts";
import { headIn, minute, unbroken } from "./spoken.ts";
import { ownerColumn } from "./table.ts";

export const applicationCreate: Presenter<"app create"> = {
  kind: "deed",
  say: ({ answer: { slug }, screen, io }) => {
    io.out(`created application ${slug}`);
    say(io, `next: ${unbroken(screen.typed(`key create ${slug}`))}`);
  },
};

/** There is always one. */
export const applicationList: Presenter<"app list"> = {
  kind: "list",
  items: ({ applications }) => applications,
  none: () => "there are no applications",
  head: (screen) => ["APPLICATION", "NAME", "MONITORS", headIn(screen, "CREATED")],
  rows: ({ applications }, screen) =>
    applications.map(({ slug, name, monitors, createdAt }) => [
      slug,
      name ?? "-",
      String(monitors),
      minute(createdAt, screen),
    ]),
};

/** The key is alone on the first line of stdout, so that a script can take it; everything else goes to stderr. */
export const keyCreate: Presenter<"key create"> = {
  kind: "deed",
  say: ({ answer: { key, id, application, scope }, screen, io }) => {
    io.out(key);
    const owner = screen.onlyApplication ? "" : ` of application ${application}`;
    say(io, `key ${id}${owner}, scope ${scope}; it is shown this once, only its hash is kept`);
  },
};

/** Never the keys themselves (R2). */
export const keyList: Presenter<"key list"> = {
  kind: "list",
  items: ({ keys }) => keys,
  none: ({ application }, { typed }) =>
    `there are no keys yet; this makes one: ${unbroken(typed(`key create ${application ?? "APP"}`))}`,
  head: (screen) => [
    "ID",
    ...ownerColumn(screen, "APPLICATION"),
    "SCOPE",
    headIn(screen, "CREATED"),
    "LAST USED",
    "REVOKED",
  ],
  rows: ({ keys }, screen) =>
    keys.map((key) => [
      String(key.id),
      ...ownerColumn(screen, key.application),
      key.scope,
      minute(key.createdAt, screen),
      key.lastUsedAt === null ? "never" : minute(key.lastUsedAt, screen),
      minute(key.revokedAt, screen),
    ]),
};

export const keyRevoke: Presenter<"key revoke"> = {
  kind: "deed",
  say: ({ answer: { id, application }, screen, io }) => {
    const owner = screen.onlyApplication ? "" : ` of application ${application}`;
    io.out(`revoked key ${id}${owner}`);
  },
};
