// Where a secret `x` comes from: the key itself, the file that `x_file` names, or the systemd credential with its
// dotted name. Its value goes only into the returned node.

import { join } from "node:path";
import { type Fault, faultAt, formatPath, type Origin, type Path } from "./fault.ts";
import { readText, type Surroundings } from "./surroundings.ts";
import type { Node, ScalarNode, TableNode } from "./tree.ts";

export interface FoundSecret {
  /** Undefined: it was not given, or `faults` say why we cannot read it. */
  readonly node: Node | undefined;
  readonly faults: readonly Fault[];
  readonly credentials: readonly string[];
}

/** Looks for the secret at `path`; if it was written there, its name is an entry of `table`. */
export function findSecret(surroundings: Surroundings, table: TableNode, path: Path): FoundSecret {
  const name = String(path.at(-1));
  const direct = table.entries.get(name);
  const file = table.entries.get(`${name}_file`);
  if (direct !== undefined && file !== undefined) {
    const what = `is given beside ${formatPath(path)}`;
    return lacking(faultAt(file.origin, fileKey(path), what, "must be one or the other"));
  }
  if (direct !== undefined) return { node: direct, faults: [], credentials: [] };
  return file === undefined ? fromCredential(surroundings, path) : fromFile(surroundings, file, path);
}

const lacking = (fault: Fault): FoundSecret => ({ node: undefined, faults: [fault], credentials: [] });

const fileKey = (path: Path): Path => [...path.slice(0, -1), `${path.at(-1)}_file`];

/** A fault does not repeat the path: it might be a secret pasted into the wrong key. */
function fromFile(surroundings: Surroundings, file: Node, path: Path): FoundSecret {
  const rule = "must be the path of a file that can be read";
  if (file.kind !== "scalar" || typeof file.value !== "string" || file.value === "") {
    return lacking(faultAt(file.origin, fileKey(path), "is not a path", rule));
  }
  const read = readText(surroundings, file.value);
  if ("code" in read) return lacking(faultAt(file.origin, fileKey(path), `cannot be read (${read.code})`, rule));
  const node = secretNode(read.text, file.origin);
  if (node.value !== "") return { node, faults: [], credentials: [] };
  return lacking(faultAt(file.origin, fileKey(path), "names an empty file", "must hold the secret"));
}

function fromCredential(surroundings: Surroundings, path: Path): FoundSecret {
  const directory = surroundings.environment["CREDENTIALS_DIRECTORY"];
  const nothing = { node: undefined, faults: [], credentials: [] };
  if (directory === undefined || directory === "") return nothing;
  const name = formatPath(path);
  const read = readText(surroundings, join(directory, name));
  if (!("code" in read)) {
    return { node: secretNode(read.text, { file: `credential ${name}`, line: null }), faults: [], credentials: [name] };
  }
  if (read.code === "ENOENT") return nothing;
  const origin = { file: `credential ${name}`, line: null };
  return lacking(faultAt(origin, path, `cannot be read (${read.code})`, "must be readable by this process"));
}

/** Editors and `echo` end a file with a line end, which is not part of the secret. */
const secretNode = (text: string, origin: Origin): ScalarNode => ({
  kind: "scalar",
  origin,
  value: text.replace(/\r?\n$/, ""),
});
