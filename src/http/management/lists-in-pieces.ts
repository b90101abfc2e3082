// An answer of lists as JSON, one page per piece. Keeps parts of a page only if the order of fields demands it: the
// first field is the long one. Must not know an operation.

import type { TSchema } from "typebox";
import type { Pages } from "../../engine/operations/operation.ts";
import { written } from "../../engine/operations/written.ts";
import type { Pieces } from "../stretches.ts";

type Page = Readonly<Record<string, readonly unknown[]>>;

/** `{"first":[…],"others":[…]}`, as if written at once. `schema`: the schema of the answer and of each page. */
export function* listsInPieces(schema: TSchema, pages: Pages<object>): Pieces {
  const behind = new Map<string, unknown[]>();
  let piece: string | null = null;
  let isEmpty = true;
  for (const page of pages) {
    if (piece !== null) yield piece;
    const [[first, rows], ...others] = Object.entries(written(schema, page as never) as Page) as [Field, ...Field[]];
    const text = JSON.stringify(rows).slice(1, -1);
    piece = (piece === null ? `{${JSON.stringify(first)}:[` : "") + (isEmpty || text === "" ? text : `,${text}`);
    isEmpty &&= text === "";
    for (const [name, more] of others) behind.set(name, [...(behind.get(name) ?? []), ...more]);
  }
  return `${piece}]${[...behind].map(([name, rows]) => `,${JSON.stringify(name)}:${JSON.stringify(rows)}`).join("")}}`;
}

type Field = [name: string, rows: readonly unknown[]];
