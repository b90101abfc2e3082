// The management socket over the real engine, for tests of what its paths answer: opened before each test, gone after it.

import { afterEach, beforeEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManagement, type Management } from "../../src/http/management/management.ts";
import { openService, type Service } from "./engine.ts";

export interface ManagedService {
  /** The engine behind the socket, of the test that runs. */
  readonly service: Service;
  /** Asks as a command does; `Body` is what the test expects. */
  ask<Body>(method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }>;
}

/** To be called once, outside of any test. */
export function managedService(): ManagedService {
  let directory: string;
  let service: Service;
  let management: Management;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "management-"));
    service = openService();
    const socketPath = join(directory, "rollcall.sock");
    management = createManagement({
      engine: service.engine,
      socketPath,
      randomSecret: () => "s".repeat(32),
      log: () => {},
    });
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
    ask: async <Body>(method: string, path: string, body?: unknown) => {
      const unix = join(directory, "rollcall.sock");
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`http://localhost${path}`, { unix, method, keepalive: false, ...init });
      return { status: response.status, body: (await response.json()) as Body };
    },
  };
}
