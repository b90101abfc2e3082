// Reads a zone file of a Unix system (TZif, RFC 9636; below /usr/share/zoneinfo). It lists clock changes as 64-bit
// times, and its footer has the rule for the years after the last of them. This file gets bytes and opens no file.

import { HOUR, type Instant, SECOND } from "../time.ts";
import { readZoneRule, type ZoneRule } from "./zone-footer.ts";
import { type OffsetChange, WRITTEN_UNTIL_YEAR, type ZoneRules, zoneRules } from "./zone-rules.ts";

/** The largest file that is accepted, in bytes. Files of the time zone database have at most about 4 KB. */
export const ZONE_FILE_BYTES = 64 * 1_024;

const HEAD_BYTES = 44;
const TYPE_BYTES = 6;
/** Offsets from UTC must lie between these two, in milliseconds (RFC 9636, section 3.2). */
const [OFFSET_MIN, OFFSET_MAX] = [-25 * HOUR, 26 * HOUR];
/** Changes before this instant are dropped, because no slot or message lies there. Some files begin at the Big Bang. */
const EARLIEST: Instant = Date.UTC(1000, 0, 1);
const LATEST: Instant = Date.UTC(WRITTEN_UNTIL_YEAR, 0, 1);
/**
 * A file that lists a change after this instant is refused. The rule in the file's footer must fill at least 400 years
 * between the last listed change and `LATEST`.
 */
const LATEST_WRITTEN: Instant = Date.UTC(WRITTEN_UNTIL_YEAR - 402, 0, 1);
/** The year from which the footer's rule is applied when a file lists no change. */
const RULE_FROM_YEAR = 1800;

/** The rules in a zone file, or a text that says why the file is refused. */
export function readZoneFile(bytes: Uint8Array): ZoneRules | string {
  if (bytes.length > ZONE_FILE_BYTES) return `it is larger than ${ZONE_FILE_BYTES} bytes`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = headAt(view, 0);
  if (typeof first === "string") return first;
  if (first.version < 2) return "it has no 64-bit times";
  const head = headAt(view, HEAD_BYTES + blockBytes(first, 4));
  if (typeof head === "string") return head;
  const { times, types, characters, leaps } = head;
  if (leaps > 0) return "it counts leap seconds, which clocks do not";
  if (types === 0) return "it has no offset";

  const typesFrom = head.from + times * 8;
  const offsetsFrom = typesFrom + times;
  const footerFrom = head.from + blockBytes(head, 8);
  if (footerFrom >= bytes.length || offsetsFrom + types * TYPE_BYTES + characters > bytes.length)
    return "it is cut off";
  const offsets = Array.from({ length: types }, (_, type) => view.getInt32(offsetsFrom + type * TYPE_BYTES) * SECOND);
  if (offsets.some((offset) => offset <= OFFSET_MIN || offset >= OFFSET_MAX)) return "it has an impossible offset";

  const written: OffsetChange[] = [];
  let before = offsets[0]!;
  let lastTime = Number.NEGATIVE_INFINITY;
  for (let place = 0; place < times; place += 1) {
    const at = Number(view.getBigInt64(head.from + place * 8)) * SECOND;
    const offset = offsets[view.getUint8(typesFrom + place)];
    if (at <= lastTime) return "its times are not in order";
    if (offset === undefined) return "a change has no offset";
    if (at > LATEST_WRITTEN) return `it has a change after the year ${WRITTEN_UNTIL_YEAR - 403}`;
    lastTime = at;
    if (at < EARLIEST) before = offset;
    else written.push([at, offset]);
  }

  const footer = footerOf(bytes.subarray(footerFrom));
  if (footer === null) return "it has no footer";
  if (footer === "") return zoneRules(before, written, false);
  const rule = readZoneRule(footer);
  if (rule === null) return "its footer is no rule of POSIX";
  return withRule(before, written, rule);
}

/**
 * Adds the changes that the footer's rule makes after the last listed change, up to the year 2500. From the last listed
 * change until the next change of the rule, the listed offset counts. It may differ from the rule's, as in a file of
 * America/Ojinaga with a short list.
 */
function withRule(before: number, written: readonly OffsetChange[], rule: ZoneRule): ZoneRules | string {
  const [from, offset] = written.at(-1) ?? [Date.UTC(RULE_FROM_YEAR, 0, 1), before];
  const { changesIn } = rule;
  if (changesIn === null) return rule.offset === offset ? zoneRules(before, written, false) : CONTRADICTION;
  const ruled: OffsetChange[] = [];
  for (let year = new Date(from).getUTCFullYear() - 1; year <= WRITTEN_UNTIL_YEAR; year += 1)
    ruled.push(...changesIn(year).filter(([at]) => at > from && at < LATEST));
  const isOfRule = ruled.slice(0, 2).some(([, other]) => other === offset);
  return isOfRule ? zoneRules(before, [...written, ...ruled], true) : CONTRADICTION;
}

const CONTRADICTION = "its footer contradicts its last change";

type ZoneFileHead = Readonly<{
  version: number;
  /** At which byte the data after this header begins. */
  from: number;
  universals: number;
  standards: number;
  leaps: number;
  times: number;
  types: number;
  characters: number;
}>;

function headAt(view: DataView, at: number): ZoneFileHead | string {
  if (at + HEAD_BYTES > view.byteLength) return "it is cut off";
  if (view.getUint32(at) !== 0x54_5a_69_66) return "it is no TZif file";
  const digit = view.getUint8(at + 4);
  const [universals, standards, leaps, times, types, characters] = [20, 24, 28, 32, 36, 40].map((place) =>
    view.getUint32(at + place),
  ) as [number, number, number, number, number, number];
  return {
    version: digit === 0 ? 1 : digit - 0x30,
    from: at + HEAD_BYTES,
    universals,
    standards,
    leaps,
    times,
    types,
    characters,
  };
}

const blockBytes = (
  { universals, standards, leaps, times, types, characters }: ZoneFileHead,
  timeBytes: number,
): number =>
  times * (timeBytes + 1) + types * TYPE_BYTES + characters + leaps * (timeBytes + 4) + standards + universals;

/** The footer's text, which stands between two line feeds; `null` when the file has none. */
function footerOf(bytes: Uint8Array): string | null {
  const text = new TextDecoder("latin1").decode(bytes);
  return /^\n([^\n]*)\n/.exec(text)?.[1] ?? null;
}
