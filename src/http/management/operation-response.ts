// Answers an operation that is asked for over HTTP: its name is in the path, its input and answer are JSON. The caller
// says who asks.

import type { TSchema } from "typebox";
import { isRefusal } from "../../domain/errors.ts";
import type { Operator } from "../../engine/operations/operate.ts";
import type { AnswerPages, ListPage } from "../../engine/operations/operation.ts";
import { isOperationName, OPERATIONS } from "../../engine/operations/operations.ts";
import { writtenAnswer } from "../../views/schemas/written.ts";
import { NO_SUCH_PATH } from "../api/read-path.ts";
import { readJsonObject } from "../body.ts";
import { refusalResponse } from "../error-responses.ts";
import { okResponse } from "../json-responses.ts";
import type { Pieces, RespondInPieces } from "../respond-in-pieces.ts";
import type { Yield } from "../yield.ts";
import { operationNameIn } from "./wire.ts";

/**
 * How many bytes a body may have, which is more than any operation needs. Only an import may have more, because it
 * brings a whole list of monitors.
 */
const BODY_BYTES_MAX = 64 * 1024;
export const IMPORT_BYTES_MAX = 2 * 1024 * 1024;

export const bodyBytesMaxOf = (pathName: string): number =>
  operationNameIn(pathName).startsWith("import") ? IMPORT_BYTES_MAX : BODY_BYTES_MAX;

/**
 * Does one operation and returns its response. Without a body the operation gets no fields. An error of the operation
 * is thrown on; but once the first page of a list is made, an error breaks the response off.
 */
export async function operationResponse(
  operator: Operator,
  inPieces: RespondInPieces,
  yieldNow: Yield,
  pathName: string,
  body: Uint8Array,
): Promise<Response> {
  const name = operationNameIn(pathName);
  if (!isOperationName(name)) return refusalResponse(NO_SUCH_PATH);
  const given = body.length === 0 ? {} : readJsonObject(body);
  if (isRefusal(given)) return refusalResponse(given);
  const asked = operator.ask(name, given);
  const { answer: schema } = OPERATIONS[name];
  for (;;) {
    const { done, value } = asked.next();
    if (done) return isRefusal(value) ? refusalResponse(value) : okResponse(writtenAnswer(schema, value as never));
    if (value !== undefined) return inPieces(listsInPieces(schema, value, asked));
    await yieldNow();
  }
}

// The following writes an answer that consists of lists as JSON, one page in each piece. Only the first list is long.
// Its rows are sent page by page, and the rows of the other lists are kept until the first list has ended.

/**
 * Writes `{"first":[…],"others":[…]}` from several pages, as the same text as if all were in one page. Each page
 * has some rows of each list. `schema` is the schema of the answer and of each page.
 */
export function* listsInPieces(schema: TSchema, first: object, others: AnswerPages<object>): Pieces {
  const behind = new Map<string, unknown[]>();
  let isEmpty = true;
  const textOf = (page: object): string => {
    const [[, rows], ...more] = Object.entries(writtenAnswer(schema, page as never) as ListPage) as [Field, ...Field[]];
    for (const [name, some] of more) behind.set(name, [...(behind.get(name) ?? []), ...some]);
    const text = JSON.stringify(rows).slice(1, -1);
    const between = isEmpty || text === "" ? "" : ",";
    isEmpty &&= text === "";
    return between + text;
  };
  yield `{${JSON.stringify(Object.keys(first)[0])}:[${textOf(first)}`;
  for (;;) {
    const { done, value } = others.next();
    if (isRefusal(value)) throw new Error(`refused behind its first page: ${value.message}`);
    const text = value === undefined ? "" : textOf(value);
    if (done)
      return `${text}]${[...behind].map(([name, rows]) => `,${JSON.stringify(name)}:${JSON.stringify(rows)}`).join("")}}`;
    yield text;
  }
}

type Field = [name: string, rows: readonly unknown[]];
