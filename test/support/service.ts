// The running service for tests of the contract: the real server on a real socket over the real engine, with one
// application and its keys. Tests see it only over the network, as a customer does.

import type { Database } from "bun:sqlite";
import { randomSecret, systemClock } from "../../src/cli/clock.ts";
import { isRefusal, type Refusal } from "../../src/domain/errors.ts";
import type { Policy } from "../../src/domain/settings/policy.ts";
import { DAY } from "../../src/domain/time.ts";
import type { KeyScope } from "../../src/engine/api.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { Operator } from "../../src/engine/operations/operate.ts";
import { createPulse } from "../../src/engine/own-outages/pulse.ts";
import { backupsOf } from "./backups.ts";
import { openTestStore } from "./database.ts";
import { policyWith, withHost } from "./engine.ts";
import { NO_DESTINATIONS, NO_KEPT, NO_RELOADS, NO_STATUS_PAGES } from "./no-reloads.ts";
import { type PublicServerChanges, startPublicServer } from "./public-server.ts";
import { TURNS } from "./turns.ts";

export interface Service extends AsyncDisposable {
  /** The engine behind the server, for what operators do on the host. */
  readonly engine: Engine & Operator;
  readonly database: Database;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The version 1 base address. */
  readonly base: string;
  readonly port: number;
  /** The keys of the application `prod`, by their scopes. */
  readonly keys: { readonly all: string; readonly ping: string; readonly sync: string; readonly revoked: string };
}

/** Starts the service on a free port of this machine; without rate limits, unless the test says otherwise. */
export function startService(changes: PublicServerChanges = {}, policy: Policy = policyWith()): Service {
  const store = openTestStore();
  const engine = withHost(
    createEngine({
      store,
      policy,
      clock: systemClock,
      pulse: createPulse(systemClock),
      log: () => {},
      schedule: (run) => void setImmediate(run),
      scheduler: TURNS,
      nudge: () => {},
      failing: () => new Map(),
      tellUnstored: () => {},
      home: "https://cron.example.org",
      user: "rollcall",
      commandLine: null,
      incidentUrl: () => null,
      keepPings: 90 * DAY,
      hostTrouble: () => null,
      randomSecret,
      addresses: () => ({ here: null, elsewhere: null, dashboard: null }),
      backups: backupsOf(":memory:"),
      reloads: NO_RELOADS,
      destinations: NO_DESTINATIONS,
      statusPages: NO_STATUS_PAGES,
      kept: NO_KEPT,
    }),
  );
  engine.start();
  const keyOf = (scope: KeyScope) => granted(engine.operate("key create", { application: "prod", scope }));
  const [all, ping, sync, revoked] = [keyOf("all"), keyOf("ping"), keyOf("sync"), keyOf("all")];
  granted(engine.operate("key revoke", { id: revoked.id }));
  const server = startPublicServer(engine, changes);
  return {
    engine,
    database: store.database,
    origin: server.url,
    base: `${server.url}/api/v1`,
    port: server.port,
    keys: { all: all.key, ping: ping.key, sync: sync.key, revoked: revoked.key },
    [Symbol.asyncDispose]: () => server.stop(0),
  };
}

/** The value, when a test knows that it is no refusal. */
export function granted<Value>(value: Value | Refusal): Value {
  if (isRefusal(value)) throw new Error(value.message);
  return value;
}
