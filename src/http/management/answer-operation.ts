// One operation over HTTP: its name in the path, its input as JSON in the body, its answer as JSON. The socket's file
// decides who may ask; the engine says what is wrong with the input.

import { isRefusal, refuse } from "../../domain/errors.ts";
import { isOperationName, OPERATIONS } from "../../engine/operations/operations.ts";
import { written } from "../../engine/operations/written.ts";
import type { Engine } from "../../engine/parts.ts";
import type { InStretches } from "../../engine/reads/in-stretches.ts";
import { okAnswer } from "../answers.ts";
import { NO_SUCH_PATH } from "../api/paths.ts";
import { refusalAnswer } from "../errors.ts";
import type { AnswerInStretches, MyTurn } from "../stretches.ts";
import { listsInPieces } from "./lists-in-pieces.ts";
import { nameIn } from "./path-name.ts";

/** Throws what the operation throws before it has made the first page of a list. */
export async function answerOperation(
  { operate, operateByPages, search }: Pick<Engine, "operate" | "operateByPages" | "search">,
  inStretches: AnswerInStretches,
  myTurn: MyTurn,
  pathName: string,
  request: Request,
): Promise<Response> {
  const name = nameIn(pathName);
  if (!isOperationName(name)) return refusalAnswer(NO_SUCH_PATH);
  const given = readObject(await request.text());
  if (given === null) return refusalAnswer(refuse("INVALID_REQUEST", "body: it is not a JSON object"));
  const pages = operateByPages(name, given);
  if (pages !== null)
    return isRefusal(pages) ? refusalAnswer(pages) : inStretches(listsInPieces(OPERATIONS[name].answer, pages));
  const searching = search(name, given);
  const answer = searching === null || isRefusal(searching) ? operate(name, given) : await endOf(searching, myTurn);
  return isRefusal(answer) ? refusalAnswer(answer) : okAnswer(written(OPERATIONS[name].answer, answer as never));
}

async function endOf<Found>(work: InStretches<Found>, myTurn: MyTurn): Promise<Found> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    await myTurn();
  }
}

/** Without text there are no fields. Null: the text is not an object. */
function readObject(text: string): object | null {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
