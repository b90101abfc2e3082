// Reads and checks the monitors of an import. Each must follow the rules for what a job declares.

import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { checkMonitorKey } from "../../domain/monitor-key.ts";
import { type OldAddress, readOldAddress } from "../../domain/old-address.ts";
import { checkDeclared, ownName } from "../../domain/settings/declaration.ts";
import { DECLARED_FIELDS, type Declared } from "../../domain/settings/settings.ts";

/** How many entries of an import are read or judged in one turn of the event loop. */
export const AT_ONCE = 50;

export interface ImportEntry extends Declared {
  readonly key: string;
  readonly pausedBecause: string | null;
  readonly addresses: readonly string[];
}

export interface ReadEntry {
  /** The entry's place in the request and its key, for refusals, such as `monitors[3] ("backup")`. */
  readonly field: string;
  readonly key: string;
  readonly declared: Declared;
  readonly pausedBecause: string | null;
  readonly addresses: readonly OldAddress[];
}

/**
 * Reads and checks all entries. A refusal names the entry by its place and key, the field, and the rule. It never
 * repeats an address of another service, because such an address is a secret.
 */
export function* readImportEntries(entries: readonly ImportEntry[]): InPieces<readonly ReadEntry[] | Refusal> {
  const read: ReadEntry[] = [];
  const paths = new Map<string, string>();
  for (const [place, entry] of entries.entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) yield;
    const one = readEntry(entry, `monitors[${place}]`);
    if (isRefusal(one)) return one;
    for (const { path, shown } of one.addresses) {
      const other = paths.get(path);
      if (other !== undefined)
        return refuseField(`${other}, ${one.field}`, `both have the address ${shown}, which reports one monitor`);
      paths.set(path, one.field);
    }
    read.push(one);
  }
  return read;
}

/** Reads and checks one entry. `place` is where the entry stands in the request, such as `monitors[3]`. */
function readEntry(entry: ImportEntry, place: string): ReadEntry | Refusal {
  const { key, pausedBecause } = entry;
  const noKey = checkMonitorKey(`${place}.key`, key);
  if (noKey !== null) return noKey;
  const field = `${place} (${JSON.stringify(key)})`;
  const said = Object.fromEntries(DECLARED_FIELDS.map((name) => [name, entry[name]])) as Declared;
  const declared = checkDeclared(said, "five", ownName);
  if (isRefusal(declared))
    return { ...declared, message: `${field}.${declared.message}`, field: `${field}.${declared.field}` };
  const addresses: OldAddress[] = [];
  for (const text of entry.addresses) {
    const address = readOldAddress(text);
    if (isRefusal(address)) return refuseField(`${field}.addresses`, address.message, address.refusal);
    if (address.convention === "healthchecks-create")
      return refuseField(`${field}.addresses`, `${address.shown} reports no single monitor`);
    addresses.push(address);
  }
  return { field, key, declared, pausedBecause, addresses };
}
