// Plans an import: each check of the other service becomes a monitor with a key and settings, or is left out for a
// reason. Pure.

import { isRefusal } from "../domain/errors.ts";
import { importedPauseReason } from "../domain/imported-pause.ts";
import { NAME_LENGTH } from "../domain/limits.ts";
import { readOldAddress } from "../domain/old-address.ts";
import { patternMatcher } from "../domain/pattern.ts";
import { cleanLine } from "../domain/text.ts";
import type { ImportedCheck, ImportSource, Lost } from "./imported-check.ts";

export type ImportPlan = ReturnType<typeof planImport>;
export type Planned = ImportPlan["monitors"][number];

/**
 * The reason of a pause that `--paused` asks for. Only a person ends such a pause. The pause of a monitor whose check
 * was paused has the reason of `importedPauseReason`, and ends when a later import finds the check running.
 */
const PAUSE_BY_OPTION = "imported with --paused";

/**
 * Makes the plan of an import. Each key begins with `prefix`. A schedule without a zone is read in `timezone`, or, when
 * that is `null`, in the application's zone. With `isPaused` every monitor begins paused. `only` and `skip` choose
 * monitors by patterns for keys. A pattern that fits no key throws, because it is probably mistyped.
 */
export function planImport(
  source: ImportSource,
  asked: {
    readonly prefix: string;
    readonly timezone: string | null;
    readonly isPaused: boolean;
    readonly only: readonly string[] | null;
    readonly skip: readonly string[];
  },
) {
  const { prefix, timezone, isPaused, only, skip } = asked;
  const watched = source.checks.filter(({ timing }) => timing.kind !== "refused");
  const keys = keysToImport(watched, prefix);
  const kept = only === null ? null : meantBy(only, keys);
  const skipped = meantBy(skip, keys);
  const all = watched.map((check, place) => {
    const { timing } = check;
    return {
      key: keys[place]!,
      name: check.name === null ? null : cleanLine(check.name, NAME_LENGTH) || null,
      schedule: timing.kind === "schedule" ? timing.schedule : null,
      everySeconds: timing.kind === "every" ? timing.seconds : null,
      timezone: timing.kind === "schedule" ? (check.timezone ?? timezone) : null,
      graceSeconds: check.graceSeconds,
      maxRuntimeSeconds: check.maxRuntimeSeconds,
      alertAfterMisses: check.alertAfterMisses,
      alertAfterFailures: check.alertAfterFailures,
      labels: check.labels,
      note: check.note,
      mailRule: check.mailRule,
      severity: null,
      pausedBecause: check.isPaused ? importedPauseReason(source.service) : isPaused ? PAUSE_BY_OPTION : null,
      addresses: check.addresses.filter(isKnownAddress),
      check,
    };
  });
  const monitors = all.filter(({ key }) => (kept?.has(key) ?? true) && !skipped.has(key));
  const refused = source.checks.flatMap((check) =>
    check.timing.kind === "refused"
      ? [{ what: check.name ?? check.key ?? check.stem, said: check.said, why: check.timing.why }]
      : [],
  );
  const others = source.unwatched.map(({ what, instead }) => ({ what, said: "", why: instead }));
  const tells = monitors.map(({ key, check }) => ({ key, destinations: check.destinations.map(({ name }) => name) }));
  const destinations = source.destinations.filter((one) =>
    monitors.some(({ check }) => check.destinations.includes(one)),
  );
  const missed = missedOf(monitors, [...source.lost, ...destinations.flatMap(({ lost }) => lost)]);
  return { monitors, destinations, tells, left: [...refused, ...others], missed };
}

function meantBy(patterns: readonly string[], keys: readonly string[]): ReadonlySet<string> {
  const meant = patterns.map((pattern) => {
    const found = keys.filter(patternMatcher(pattern));
    if (found.length === 0) throw new Error(`no check would get the key ${JSON.stringify(pattern)}`);
    return found;
  });
  return new Set(meant.flat());
}

const isKnownAddress = (address: string): boolean => !isRefusal(readOldAddress(address));

const ODD_ADDRESS: Lost = {
  what: "an address",
  instead: "it has another form than the service gives; the job needs its new address",
};

/**
 * Lists what the other service has and rollcall has not: each kind once, with the keys of all monitors that it
 * concerns. There are no keys when it concerns no single monitor.
 */
function missedOf(
  monitors: readonly { readonly key: string; readonly check: ImportedCheck }[],
  beside: readonly Lost[],
) {
  const each = monitors.flatMap(({ key, check }) =>
    [...check.lost, ...(check.addresses.every(isKnownAddress) ? [] : [ODD_ADDRESS])].map((lost) => ({ key, lost })),
  );
  const kindOf = ({ what, instead }: Lost): string => JSON.stringify([what, instead]);
  const grouped = [...Map.groupBy(each, ({ lost }) => kindOf(lost)).values()];
  return [
    ...grouped.map((group) =>
      missedOnce(
        group.map(({ lost }) => lost),
        group.map(({ key }) => key),
      ),
    ),
    ...[...Map.groupBy(beside, kindOf).values()].map((group) => missedOnce(group, [])),
  ];
}

function missedOnce(lost: readonly Lost[], keys: readonly string[]) {
  const { what, instead } = lost[0]!;
  return { what, instead, details: [...new Set(lost.flatMap(({ detail }) => detail ?? []))], keys };
}

// Makes keys of monitors from the names of checks. A key has only letters, digits and signs that need no quoting.

const KEY_MAX = 100;

/**
 * Makes a key of a text, such as `nightly-backup` of `Nightly backup`; empty when no sign of the text can be in a key.
 */
export const importedKeyFromName = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/g, "-")
    .replaceAll(/-{2,}/g, "-")
    .slice(0, KEY_MAX)
    .replaceAll(/^[-.]+|[-.]+$/g, "");

/**
 * Returns a key for each check, in the same order. A check whose jobs report by a key has that one. Of several checks
 * with one name, the first gets the name alone as its key, because jobs may know it. Each other check gets the name
 * with one of its surnames, such as its project, that no check of this name shares. Without such a surname it gets the
 * name with a number. So the same list always gets the same keys.
 */
export function keysToImport(
  checks: readonly Pick<ImportedCheck, "key" | "stem" | "surnames">[],
  prefix: string,
): readonly string[] {
  const wished = checks.map(
    ({ key, stem, surnames }) =>
      prefix + (key ?? (importedKeyFromName(stem) || importedKeyFromName(`check-${surnames.at(-1) ?? ""}`))),
  );
  const namesakes = Map.groupBy(checks, (_, place) => wished[place]!);
  const owned = new Map([...namesakes].map(([key, those]) => [key, ownSurnames(those)]));
  const given = new Set<string>();
  const isFree = (key: string): boolean => !given.has(key) && !namesakes.has(key);
  const numbers = new Map<string, number>();

  function numbered(key: string): string {
    let number = numbers.get(key) ?? 2;
    while (!isFree(`${key}-${number}`)) number++;
    numbers.set(key, number + 1);
    return `${key}-${number}`;
  }

  return checks.map(({ surnames }, place) => {
    const key = wished[place]!;
    const longer = surnames
      .filter((name) => owned.get(key)!.has(name))
      .map((name) => `${key}-${importedKeyFromName(name)}`);
    const free = given.has(key) ? (longer.find(isFree) ?? numbered(key)) : key;
    given.add(free);
    return free;
  });
}

function ownSurnames(namesakes: readonly Pick<ImportedCheck, "surnames">[]): ReadonlySet<string> {
  const all = Map.groupBy(
    namesakes.flatMap(({ surnames }) => [...new Set(surnames)]),
    (name) => name,
  );
  return new Set([...all].filter(([, { length }]) => length === 1).map(([name]) => name));
}
