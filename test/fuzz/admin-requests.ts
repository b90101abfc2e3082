// Random requests to the administrator's API, most with a key that may look alone: what acts must be refused, and
// nothing may be answered that is not described.

import type { Operation } from "../../src/engine/operations/operation.ts";
import { OPERATIONS } from "../../src/engine/operations/operations.ts";
import { ADMIN_DOCUMENT_PATH, ADMIN_PATH, pathNameOf } from "../../src/http/management/wire.ts";
import type { Random } from "../simulation/random.ts";
import { drawBody, drawPiece } from "./ingredients.ts";
import type { HttpRequest } from "./request.ts";

const ALL = Object.entries(OPERATIONS) as [string, Operation][];

const VALUES = [
  "null",
  "true",
  "1",
  "0",
  "-1",
  "1e999",
  "0.5",
  '""',
  '"job-1"',
  '"fuzz"',
  "[]",
  "{}",
  '["a"]',
  '"\\u0000"',
];

/** `key`: an administrator's, of the scope `read`. */
export function drawAdminRequest(random: Random, method: string, key: string): HttpRequest {
  const [name, { input }] = random.pick(ALL);
  const sent = random.weighted([
    [8, `Bearer ${key}`],
    [1, `Bearer ${key.slice(0, -1)}`],
    [1, drawPiece(random).replaceAll(/[\r\n\0]/g, "")],
  ]);
  return {
    method: random.chance(0.8) ? "POST" : method,
    target: random.weighted([
      [18, ADMIN_PATH + pathNameOf(name)],
      [1, ADMIN_DOCUMENT_PATH],
      [1, `${ADMIN_PATH}${drawPiece(random)}`.slice(0, 3_000)],
    ]),
    head: sent === "" ? [] : [`Authorization: ${sent}`],
    body: random.chance(0.8) ? drawFields(random, Object.keys(input.properties)) : drawBody(random),
    isChunked: random.chance(0.2),
    monitor: null,
  };
}

/** Some fields of the operation, and at times one that it does not have. */
function drawFields(random: Random, known: readonly string[]): string {
  const names = [...known.filter(() => random.chance(0.4)), ...(random.chance(0.1) ? ["__proto__"] : [])];
  return `{${names.map((name) => `${JSON.stringify(name)}:${random.pick(VALUES)}`).join()}}`;
}
