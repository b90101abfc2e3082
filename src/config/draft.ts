// What assembling works with: the values that passed, the tree they were written in, and the faults so far. Knows how
// to point at the right place, not what is wrong.

import type { Checked } from "./check.ts";
import { environmentName } from "./environment.ts";
import { type Fault, type FaultOrigin, faultAt, formatPath, type Path } from "./fault.ts";
import type { Values } from "./keys.ts";
import { readText, type Surroundings } from "./surroundings.ts";
import { nodeAt, type TableNode } from "./tree.ts";

export interface ConfigDraft {
  readonly values: Values;
  readonly tree: TableNode;
  readonly surroundings: Surroundings;
  readonly faults: Fault[];
  /** Settings that work as written, but were hardly meant so. */
  readonly warnings: Fault[];
  /** Keys that have a fault already. */
  readonly broken: ReadonlySet<string>;
  /** Credentials that were read. */
  readonly credentials: readonly string[];
  /** Values that must never be shown (R40). */
  readonly secrets: Set<string>;
}

export const newDraft = (checked: Checked, tree: TableNode, surroundings: Surroundings): ConfigDraft => ({
  values: checked.values,
  tree,
  surroundings,
  faults: [...checked.faults],
  warnings: [],
  broken: checked.broken,
  credentials: checked.credentials,
  secrets: checked.secrets,
});

export const isWritten = (draft: ConfigDraft, path: Path): boolean => nodeAt(draft.tree, path) !== undefined;

/** A fault at a key that was written, or at the nearest table around it. */
export function complain(draft: ConfigDraft, path: Path, what: string, rule: string): void {
  draft.faults.push(faultAt(originOf(draft, path), path, what, rule));
}

/** The same for a warning: we report it, and it stops nothing. */
export function warn(draft: ConfigDraft, path: Path, what: string, rule: string): void {
  draft.warnings.push(faultAt(originOf(draft, path), path, what, rule));
}

/** A fault for a missing key; silent when the key is there but wrong, because that is already a fault. */
export function complainMissing(draft: ConfigDraft, path: Path, rule: string): void {
  for (let length = 1; length <= path.length; length++) {
    if (draft.broken.has(formatPath(path.slice(0, length)))) return;
  }
  complain(draft, path, "is missing", rule);
}

/** A value without a line came from the environment: there, point at the variable that sets this key. */
function originOf(draft: ConfigDraft, path: Path): FaultOrigin {
  for (let length = path.length; length > 0; length--) {
    const node = nodeAt(draft.tree, path.slice(0, length));
    if (node === undefined) continue;
    return length === path.length || node.origin.line !== null
      ? node.origin
      : { file: environmentName(path), line: null };
  }
  return { file: environmentName(path), line: null };
}

/** Every text of a list of texts with its own path; nothing for a list that was not written. */
export function writtenTexts(draft: ConfigDraft, path: Path): { readonly text: string; readonly path: Path }[] {
  const node = nodeAt(draft.tree, path);
  if (node?.kind !== "list") return [];
  return node.items.flatMap((item, place) => {
    const at = [...path, place];
    const isText = item.kind === "scalar" && typeof item.value === "string" && !draft.broken.has(formatPath(at));
    return isText ? [{ text: String(item.value), path: at }] : [];
  });
}

/** The text of a PEM file that a key names; null after a fault. */
export function readPem(draft: ConfigDraft, path: Path, file: string): string | null {
  const read = readText(draft.surroundings, file);
  if ("text" in read && read.text.includes("-----BEGIN ")) return read.text;
  const what = "text" in read ? "names a file that is not PEM" : `cannot be read (${read.code})`;
  complain(draft, path, what, "must be the path of a PEM file that can be read");
  return null;
}
