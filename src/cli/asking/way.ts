// How a command reaches a service, as types: over its socket on this machine, or over HTTPS on another.

import type { OperationName } from "../../engine/operations/operations.ts";
import type { Typed } from "../typed.ts";

export interface Way {
  /** The socket, or the address. */
  readonly place: string;
  readonly typed: Typed;
  send(name: OperationName, asked: object): Promise<Response>;
  /** What there is to say of an answer that is not the operation's; null: what the answer says itself. */
  explainAnswer(response: Response, message: string | undefined): string | null;
  /** Why there is no answer. */
  explain(error: unknown): Explained;
}

export interface Explained {
  readonly exitCode: number;
  readonly messages: readonly string[];
}

export const ANSWER_WITHIN_SECONDS = 30;
