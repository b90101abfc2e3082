// Runs one operation through the running service and shows the answer: by its presenter, or as JSON.

import type { Input, OperationName } from "../engine/operations/operations.ts";
import { DONE, say } from "./io.ts";
import type { Presenter } from "./presenter.ts";
import { PRESENTERS } from "./presenters.ts";
import { type Ask, askService, type SocketCaller } from "./socket-client.ts";
import { formatTable, withoutEmpty } from "./table.ts";

/** An operation that only acts has nothing to print as JSON. */
export function printsJson(name: OperationName): boolean {
  const presenter = PRESENTERS[name];
  return presenter?.kind === "dialogue" ? presenter.json === true : presenter?.kind !== "deed";
}

/** Answers the exit code. */
export async function runOperation<Name extends OperationName>(
  caller: SocketCaller,
  name: Name,
  asked: Partial<Input<Name>>,
  asJson: boolean,
): Promise<number> {
  const result = await askService(caller, name, asked);
  if ("exitCode" in result) return result.exitCode;
  const { answer, screen } = result;
  const { io } = caller;
  const presenter: Presenter<Name> | undefined = PRESENTERS[name];
  const json = (value: unknown): void => io.out(JSON.stringify(value, null, 2));
  if (presenter === undefined) {
    json(answer);
    return DONE;
  }
  const deed = { answer, asked, screen, io, ask: askAgain(caller), asJson };
  switch (presenter.kind) {
    case "deed":
      presenter.say(deed);
      return DONE;
    case "dialogue":
      return presenter.hold(deed);
    case "thing":
      if (asJson) json(answer);
      else for (const line of presenter.lines(answer, screen)) io.out(line);
      return presenter.exitCode?.(answer) ?? DONE;
    case "list": {
      const items = presenter.items(answer);
      if (asJson) json(items);
      else if (items.length === 0) say(io, presenter.none(asked, screen));
      else {
        const table = { head: presenter.head(screen, answer), rows: presenter.rows(answer, screen) };
        const { head, rows } = presenter.leavesOutEmpty ? withoutEmpty(table) : table;
        for (const line of formatTable(head, rows, screen)) io.out(line);
      }
      for (const text of presenter.beside?.(answer, screen) ?? []) say(io, text);
      return DONE;
    }
    default:
      return presenter satisfies never;
  }
}

const askAgain =
  (caller: SocketCaller): Ask =>
  (name, asked) =>
    askService(caller, name, asked);
