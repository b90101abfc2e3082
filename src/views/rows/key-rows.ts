// Applications, keys, administrators' keys and addresses of other services, for lists, pages and commands: what each is
// for, how it was used, how it ends, and what stops when it is revoked. Pure.

import type { Convention } from "../../domain/old-address.ts";
import { cleanLine } from "../../domain/text.ts";
import type { Instant } from "../../domain/time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { AddressSummary } from "../schemas/address-schemas.ts";
import type { AdminKeySummary, ApplicationSummary, KeySummary, ShownKey } from "../schemas/application-schemas.ts";
import { type Column, columnFacts, dated, type FactRow, fact, factUnlessNull, type RowPart } from "./rows.ts";

/** What a key of each scope may be used for. */
const SCOPE_WORDS: Readonly<Record<KeySummary["scope"], string>> = {
  all: "reports and syncs",
  ping: "reports",
  sync: "syncs",
};

/** The scopes of keys, the usual one first. */
export const SCOPES = Object.keys(SCOPE_WORDS) as KeySummary["scope"][];

export const scopeInWords = (scope: KeySummary["scope"]): string => SCOPE_WORDS[scope];

export const canReport = (scope: KeySummary["scope"]): boolean => scope !== "sync";

/** The name of a key, such as `key 3, web-1`. */
export const keyName = ({ id, label }: Pick<KeySummary, "id" | "label">): string =>
  label === null ? `key ${id}` : `key ${id}, ${cleanLine(label, LABEL_SHOWN)}`;

const LABEL_SHOWN = 100;

type LastUse = Readonly<{ lastUsedAt: Instant | null; lastUse: { readonly address: string } | null }>;

const fromWhere = ({ lastUse }: LastUse): string => (lastUse === null ? "" : ` from ${lastUse.address}`);

/** Says when and from where a key or address was last used, such as `It was last used 3 min ago from 192.0.2.1.` */
export const useSentence = (used: LastUse): RowPart[] =>
  used.lastUsedAt === null
    ? ["It was never used."]
    : ["It was last used ", { at: used.lastUsedAt, as: "ago" }, `${fromWhere(used)}.`];

/** The last use of an administrator's key, in the form that API keys have. */
export const useOfAdminKey = ({ lastUsedAt, lastAddress }: AdminKeySummary): LastUse => ({
  lastUsedAt,
  lastUse: lastAddress === null ? null : { address: lastAddress },
});

const lastUsed = <Item>(useOf: (item: Item) => LastUse): Column<Item> => ({
  head: "last used",
  cell: (item) => {
    const used = useOf(item);
    return used.lastUsedAt === null ? ["never"] : [dated(used.lastUsedAt), fromWhere(used)];
  },
});

const ends: Column<Pick<KeySummary, "revokedAt"> & Partial<Pick<KeySummary, "worksUntil">>> = {
  head: "ends",
  cell: ({ revokedAt, worksUntil = null }) => {
    if (revokedAt !== null) return ["revoked ", dated(revokedAt)];
    return worksUntil === null ? [] : ["replaced, ends ", dated(worksUntil)];
  },
  isPlain: true,
};

const created: Column<{ readonly createdAt: Instant }> = {
  head: "created",
  cell: ({ createdAt }) => [dated(createdAt)],
  namesZone: true,
};

/** The columns of a list of keys, after number, application and label. */
export const KEY_COLUMNS: readonly Column<KeySummary>[] = [
  { head: "scope", cell: ({ scope }) => [scopeInWords(scope)], isPlain: true },
  created,
  lastUsed((key) => key),
  ends,
];

export const ADMIN_KEY_COLUMNS: readonly Column<AdminKeySummary>[] = [
  { head: "scope", cell: ({ scope }) => [scope] },
  created,
  lastUsed(useOfAdminKey),
  ends,
];

/** The facts about a key besides its number, application and label. */
export function keyFacts(key: ShownKey): FactRow[] {
  const { application, lastUse } = key;
  const { agent = null, monitorKey: job = null } = lastUse ?? {};
  return [
    ...columnFacts(KEY_COLUMNS, key),
    ...factUnlessNull("last used by", agent === null ? null : cleanLine(agent, AGENT_SHOWN)),
    ...(job === null ? [] : [fact("last used for", jobLink({ application, key: job }))]),
    fact("last report of", ...(key.monitors === 0 ? ["no job, as far as rollcall has seen"] : reportedLast(key))),
  ];
}

const AGENT_SHOWN = 100;

type LinkedJob = Readonly<{ application: string; key: string; name?: string }>;

const jobLink = ({ application, key, name = key }: LinkedJob): RowPart => ({
  to: { job: { application, key } },
  text: cleanLine(name, LABEL_SHOWN) || key,
});

/** Names of jobs, such as `backup, docs and 3 more`. */
function jobLinks(jobs: readonly LinkedJob[], count: number): RowPart[] {
  const more = count - jobs.length;
  return [
    ...jobs.flatMap((job, place): RowPart[] => [...(place === 0 ? [] : [", "]), jobLink(job)]),
    ...(more > 0 ? [` and ${more} more`] : []),
  ];
}

/** The jobs whose last report came with this key. The keys of earlier reports are not stored. */
const reportedLast = ({ application, monitors, monitorKeys }: ShownKey): RowPart[] =>
  jobLinks(
    monitorKeys.map((key) => ({ application, key })),
    monitors,
  );

// The following says what stops when a key is revoked.

export interface KeyToRevoke {
  readonly key: ShownKey;
  /**
   * How many jobs the key's application has. `named` has the first of them if no job can report without this key;
   * otherwise it is empty.
   */
  readonly jobs: number;
  readonly named: readonly LinkedJob[];
  /** How many other keys and old addresses the jobs of the application can report with. */
  readonly others: number;
  readonly addresses: number;
}

/** Whether no job of the application could report without this key. False for a key that was never used. */
export const stopsAllReports = ({ key, others, addresses }: Omit<KeyToRevoke, "jobs" | "named">): boolean =>
  key.lastUsedAt !== null && canReport(key.scope) && others + addresses === 0;

/** Sentences about the key and what stops without it. A page shows each list of parts as a paragraph. */
export function revokedInWords(revoked: KeyToRevoke): RowPart[][] {
  const { key, jobs, named } = revoked;
  const { application, scope, createdAt } = key;
  return [
    [`It is for ${scopeInWords(scope)}, and was created `, { at: createdAt, as: "ago" }, ". ", ...useSentence(key)],
    ...whatStops(revoked),
    ...(stopsAllReports(revoked) && named.length > 0
      ? [[`Jobs of ${application}: `, ...jobLinks(named, jobs), "."]]
      : []),
  ];
}

function whatStops(revoked: KeyToRevoke): RowPart[][] {
  const { key, jobs, others, addresses } = revoked;
  const { application, scope, lastUsedAt } = key;
  if (lastUsedAt === null) return [["Nothing that works now should stop."]];
  if (!canReport(scope))
    return [
      [
        `Schedulers that send the jobs of ${application} with it are refused from then on. rollcall no longer learns which jobs they add, change and remove. Reports go on.`,
      ],
    ];
  if (stopsAllReports(revoked))
    return [
      [
        jobs === 0
          ? `It is the only key by which a job of ${application} can report. Until there is another, none can.`
          : `It is the only key by which jobs of ${application} can report. ${jobs === 1 ? "Its job stops" : `All ${jobs} stop`} reporting at once, and rollcall will raise an alarm when a report is due${scope === "all" ? "; bulk syncs stop too" : ""}.`,
      ],
    ];
  return [
    [
      "Whatever still uses it is refused from then on. A job that does stops reporting, and rollcall will raise an alarm when its report is due.",
    ],
    [
      `${application} has ${counted(others, "other key")}${addresses === 0 ? "" : ` and ${countedOldAddresses(addresses)}`} for reports. `,
      ...(key.monitors === 0
        ? ["No job reported with this one last, as far as rollcall has seen."]
        : [`With this one ${counted(key.monitors, "job")} reported last: `, ...reportedLast(key), "."]),
    ],
  ];
}

// The following is about addresses of other services, at which jobs go on reporting (R45).

const SERVICES: Readonly<Record<Convention, string>> = {
  healthchecks: "Healthchecks",
  "healthchecks-slug": "Healthchecks",
  "healthchecks-create": "Healthchecks",
  kuma: "Uptime Kuma",
};

export const countedOldAddresses = (count: number): string =>
  count === 1 ? "1 old address" : `${count} old addresses`;

/** The columns of a list of addresses, after number, application and address. */
export const ADDRESS_COLUMNS: readonly Column<AddressSummary>[] = [
  { head: "service", cell: ({ convention }) => [SERVICES[convention]], isPlain: true },
  { head: "monitor", cell: (one) => reportsParts(one), isPlain: true },
  { head: "added", cell: ({ createdAt }) => [dated(createdAt)], namesZone: true },
  lastUsed((one) => one),
  ends,
];

function reportsParts({ application, monitorKey, prefix, exists }: AddressSummary): RowPart[] {
  if (monitorKey === null) return ["creates ", { wrote: `${prefix}*` }];
  return exists ? [jobLink({ application, key: monitorKey })] : [{ wrote: monitorKey }, ", which is gone"];
}

/** What an address is, and what follows when it is revoked. */
export const revokedAddressInWords = (one: AddressSummary): RowPart[][] => [
  [
    "It is ",
    { wrote: one.address },
    `, from ${SERVICES[one.convention]}${one.monitorKey === null ? " and " : ", for "}`,
    ...reportsParts(one),
    ".",
  ],
  [
    ...useSentence(one),
    " What still reports there is refused from then on, and rollcall will raise an alarm when its report is due.",
  ],
];

/** The columns of a list of applications, after the slug. */
export const APPLICATION_COLUMNS: readonly Column<ApplicationSummary>[] = [
  { head: "name", cell: ({ name }) => (name === null ? [] : [name]), isPlain: true },
  { head: "jobs", cell: ({ monitors }) => [String(monitors)] },
  created,
  { head: "suspended", cell: ({ suspendedAt }) => (suspendedAt === null ? [] : [dated(suspendedAt)]) },
];

/** What a suspension means for an application (R3). */
export const suspendedInWords = ({ monitors }: ApplicationSummary): string =>
  `its reports are refused, and ${monitors === 1 ? "its job is" : "its jobs are"} paused: nothing is missed or told`;
