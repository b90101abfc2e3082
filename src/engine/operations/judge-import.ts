// What an import would do to one monitor. Reads, and changes nothing.

import type { Refusal } from "../../domain/errors.ts";
import { pausedAt } from "../../domain/imported-pause.ts";
import { declaredAnew } from "../../domain/settings/declared.ts";
import { DECLARED_FIELDS, settingOption } from "../../domain/settings/settings.ts";
import type { OldAddressRow } from "../../store/old-addresses.ts";
import type { EngineContext } from "../context.ts";
import { loadNamed, type MonitorRecord } from "../monitor-records.ts";
import { summaryById } from "../reads/monitor-pages.ts";
import type { Imported } from "./answers/imports.ts";
import type { ReadEntry } from "./import-entries.ts";
import { isTaken, knownAddress } from "./operate-addresses.ts";

export interface Judged {
  readonly entry: ReadEntry;
  /** Its key here. */
  readonly key: string;
  /** Null: it is to be made. */
  readonly before: MonitorRecord | null;
  readonly imported: Imported;
}

/** Where monitors go, and where they come from. */
interface Move {
  readonly owner: { readonly id: number; readonly slug: string };
  /** Keys of monitors that were deleted. */
  readonly deleted: ReadonlySet<string>;
  readonly service: string;
}

/** An address that works says which monitor is meant, whatever it is called by now; else its key does. */
export function judgeEntry(context: EngineContext, move: Move, entry: ReadEntry): Judged | Refusal {
  const { owner } = move;
  const known = entry.addresses.map((address) => knownAddress(context, address));
  const working = known.filter((one): one is OldAddressRow => one !== null && one.revokedAt === null);
  const key = working.find(({ application }) => application === owner.slug)?.monitorKey ?? entry.key;
  const taken = working.find((one) => one.application !== owner.slug || one.monitorKey !== key);
  if (taken !== undefined) {
    const refused = isTaken(taken);
    return { ...refused, message: `${entry.field}.addresses: ${refused.message.replace(/^address: /, "")}` };
  }
  const before = loadNamed(context, owner.id, key, null);
  const added = known.filter((one) => one === null).length;
  const changes = before === null ? [] : changesOf(before, entry);
  const pause = pauseOf(context, before, entry, move);
  const differs = changes.length > 0 || pause !== null || added > 0;
  const imported: Imported = {
    key,
    askedAs: key === entry.key ? null : entry.key,
    done: before === null ? "created" : differs ? "changed" : "unchanged",
    found: foundOf(move, key, before, known),
    changes,
    pause,
    addresses: { added, there: working.length, revoked: known.length - added - working.length },
  };
  return { entry, key, before, imported };
}

/** An import leaves the addresses, so a monitor that has none of them was made here; without any nobody knows. */
function foundOf(
  { deleted }: Move,
  key: string,
  before: MonitorRecord | null,
  known: readonly (OldAddressRow | null)[],
): Imported["found"] {
  if (before === null) return deleted.has(key) ? "deleted" : "nothing";
  return known.length > 0 && known.every((one) => one === null) ? "own" : "other";
}

function changesOf({ declared, policy }: MonitorRecord, { declared: said }: ReadEntry): Imported["changes"] {
  const after = declaredAnew(declared, said);
  return DECLARED_FIELDS.filter((field) => after[field] !== declared[field]).map((field) => ({
    setting: settingOption(field),
    from: textOf(declared[field]),
    to: textOf(after[field]),
    overridden: policy.own[field] !== undefined,
  }));
}

const textOf = (value: string | number | null): string | null => (value === null ? null : String(value));

/** A pause that an import made ends with the one there; one that a person made here stays. */
function pauseOf(
  context: EngineContext,
  before: MonitorRecord | null,
  { pausedBecause }: ReadEntry,
  { service }: Move,
): Imported["pause"] {
  if (before === null || before.monitor.pauses.manual === null) return pausedBecause === null ? null : "paused";
  if (pausedBecause !== null) return null;
  const asked = summaryById(context, before.id, before.monitor.changedAt).pauses.manual?.asked;
  return asked?.reason === pausedAt(service) ? "resumed" : null;
}
