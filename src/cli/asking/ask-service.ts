// Asks a running service for an operation: over its Unix socket, or over HTTPS from another machine. All commands that
// ask for operations use this.

import { orElse } from "../../domain/unless-missing.ts";
import {
  type Answer,
  type Input,
  OPERATIONS,
  type OperationName,
  type WrittenAnswer,
} from "../../engine/operations/operations.ts";
import { VIEW_CONTEXT } from "../../http/management/wire.ts";
import { fromWritten } from "../../views/schemas/written.ts";
import { type CommandHint, type Io, REFUSED, type Terminal } from "../io.ts";
import type { ScreenClock } from "../screens/spoken.ts";
import { say } from "../screens/table.ts";
import type { Call } from "./command-hints.ts";
import { remoteTransport, socketTransport } from "./transports.ts";

export type SocketCaller = Call & Readonly<{ io: Io }>;

/** The service's answer. If it gave none, the reason was printed, and this is the exit code. */
export type ServiceAnswered<Name extends OperationName> =
  | { readonly answer: Answer<Name>; readonly written: WrittenAnswer<Name>; readonly screen: Screen }
  | { readonly exitCode: number };

export type Ask = <Name extends OperationName>(
  name: Name,
  asked: Partial<Input<Name>>,
) => Promise<ServiceAnswered<Name>>;

/**
 * The facts on which the words of each screen depend: the service's time and time zone, the terminal, and how a person
 * here must type commands. `onlyApplication` is true when the service has one application, whose name is then left out.
 */
export interface Screen extends ScreenClock, Terminal {
  readonly onlyApplication: boolean;
  readonly typed: CommandHint;
}

export async function askService<Name extends OperationName>(
  caller: SocketCaller,
  name: Name,
  asked: Partial<Input<Name>>,
): Promise<ServiceAnswered<Name>> {
  const { io } = caller;
  const way =
    caller.flags.remote === undefined ? socketTransport(caller) : remoteTransport(caller, caller.flags.remote, io);
  if ("exitCode" in way) {
    for (const message of way.messages) io.err(message);
    return { exitCode: way.exitCode };
  }
  try {
    const response = await way.send(name, asked);
    const text = await response.text();
    const body: unknown = orElse(undefined, () => JSON.parse(text));
    const { headers } = response;
    if (response.ok && body !== undefined && headers.has(VIEW_CONTEXT.now)) {
      const screen = {
        now: Date.parse(headers.get(VIEW_CONTEXT.now) ?? ""),
        timezone: headers.get(VIEW_CONTEXT.timezone) ?? "UTC",
        onlyApplication: headers.get(VIEW_CONTEXT.onlyApplication) === "true",
        width: io.width,
        color: io.color,
        typed: way.typed,
      };
      const written = body as WrittenAnswer<Name>;
      return { answer: fromWritten(OPERATIONS[name].answer, written as never) as Answer<Name>, written, screen };
    }
    // If the answer is an error, its message says what is wrong (R1).
    const { message } = (body ?? {}) as { readonly message?: string };
    const words = way.explainResponse(response, message) ?? message;
    say({ ...io, typed: way.typed }, words ?? `rollcall answered HTTP ${response.status}; see its log`);
    return { exitCode: REFUSED };
  } catch (error) {
    const { exitCode, messages } = way.explain(error);
    for (const message of messages) say(io, message);
    return { exitCode };
  }
}
