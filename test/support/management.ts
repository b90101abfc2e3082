// The management socket over the real engine, for tests of the answers of its paths: it is opened before each test, and
// removed after it.

import { afterEach, beforeEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Value from "typebox/value";
import { isRefusal } from "../../src/domain/errors.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { OPERATIONS, type OperationName } from "../../src/engine/operations/operations.ts";
import { createManagement } from "../../src/http/management/management.ts";
import { pathNameOf } from "../../src/http/management/wire.ts";
import { writtenAnswer } from "../../src/views/schemas/written.ts";
import { openService, type Service } from "./engine.ts";

export interface ManagedService {
  /** The service of the running test, whose engine is behind the socket. */
  readonly service: Service;
  /** Asks for an operation as a command does, and checks a good answer against its schema. */
  ask<Body>(operation: OperationName, input?: unknown): Promise<{ status: number; body: Body }>;
}

/**
 * Sends an operation's input over the socket: nothing, a text as it is, or any other value as JSON. A good answer must
 * match the operation's schema.
 */
export async function askSocket(
  unix: string,
  operation: OperationName,
  input?: unknown,
): Promise<{ status: number; body: unknown }> {
  const init = input === undefined ? {} : { body: typeof input === "string" ? input : JSON.stringify(input) };
  const path = `/operations/${pathNameOf(operation)}`;
  const response = await fetch(`http://localhost${path}`, { unix, method: "POST", keepalive: false, ...init });
  const body: unknown = await response.json();
  if (response.ok) mustConform(operation, body);
  return { status: response.status, body };
}

/** Throws unless the answer, as it is written, matches the operation's schema. */
function mustConform(operation: OperationName, body: unknown): void {
  const [wrong] = Value.Errors(OPERATIONS[operation].answer, body);
  if (wrong !== undefined) throw new Error(`the answer to ${operation}: ${wrong.instancePath} ${wrong.message}`);
}

/** Wraps the engine: every answer must match the schema of its operation. */
export const heldToSchemas = (engine: Engine): Engine => ({
  ...engine,
  as: (by) => {
    const operator = engine.as(by);
    return {
      ...operator,
      *ask(name, given) {
        for (const asked = operator.ask(name, given); ; ) {
          const { done, value } = asked.next();
          if (value !== undefined && !isRefusal(value))
            mustConform(name, writtenAnswer(OPERATIONS[name].answer, value as never));
          if (done) return value;
          yield value;
        }
      },
    };
  },
});

/** To be called once, outside of any test. */
export function managedService(): ManagedService {
  let directory: string;
  let service: Service;
  let management: ReturnType<typeof createManagement>;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "management-"));
    service = openService();
    const socketPath = join(directory, "rollcall.sock");
    management = createManagement(service.engine, socketPath, () => {});
  });

  afterEach(async () => {
    await management.stop();
    service[Symbol.dispose]();
    rmSync(directory, { recursive: true });
  });

  return {
    get service() {
      return service;
    },
    ask: async <Body>(operation: OperationName, input?: unknown) => {
      const { status, body } = await askSocket(join(directory, "rollcall.sock"), operation, input);
      return { status, body: body as Body };
    },
  };
}
