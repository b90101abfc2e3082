// Runs one operation through the running service and shows the answer: by its presenter, or as JSON.

import type { Input, OperationName } from "../../engine/operations/operations.ts";
import { DONE } from "../io.ts";
import type { Presenter } from "../screens/presenter.ts";
import { PRESENTERS } from "../screens/presenters.ts";
import { formatRows, say } from "../screens/table.ts";
import { type Ask, askService, type SocketCaller } from "./ask-service.ts";

/** `take`: gets the answer instead of a person, as JSON has it; null: a person reads it. The exit code. */
export async function runOperation<Name extends OperationName>(
  caller: SocketCaller,
  name: Name,
  asked: Partial<Input<Name>>,
  take: ((answer: unknown) => void) | null,
): Promise<number> {
  const result = await askService(caller, name, asked);
  if ("exitCode" in result) return result.exitCode;
  const { answer, screen } = result;
  const { io } = caller;
  const presenter: Presenter<Name> | undefined = PRESENTERS[name];
  if (presenter === undefined) {
    (take ?? printJson(caller))(answer);
    return DONE;
  }
  const ask: Ask = (other, given) => askService(caller, other, given);
  const presented = { answer, asked, screen, io, ask, asJson: take !== null };
  if (typeof presenter === "function") {
    if (take === null) presenter(presented);
    else take(answer);
    return DONE;
  }
  if ("hold" in presenter) {
    const quiet = take === null ? presented : { ...presented, io: { ...io, out: () => {} } };
    const { exitCode, ended } = await presenter.hold(quiet);
    take?.(ended);
    return exitCode;
  }
  if ("lines" in presenter) {
    if (take !== null) take(answer);
    else for (const line of presenter.lines(answer, screen)) io.out(line);
    return presenter.exitCode?.(answer) ?? DONE;
  }
  const items = presenter.items(answer);
  if (take !== null) take(items);
  else if (items.length === 0) say(io, presenter.none(asked, screen));
  else for (const line of formatRows(presenter.rows(answer, screen), screen, presenter.leavesOutEmpty)) io.out(line);
  for (const text of presenter.beside?.(answer, screen) ?? []) say(io, text);
  return DONE;
}

export const printJson =
  ({ io }: SocketCaller) =>
  (answer: unknown): void =>
    io.out(JSON.stringify(answer, null, 2));
