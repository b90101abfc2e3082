// The running service for tests of the contract: a real server on a real socket with one application and its keys.
// Tests see it as a customer does, over the wire alone.

import { createServer, type ServerParts } from "../../src/http/server.ts";
import { createRecordingEngine, granted } from "./http-engine.ts";

export interface Service extends AsyncDisposable {
  /** The version 1 base address. */
  readonly base: string;
  readonly port: number;
  /** Keys of the application `prod`, by what they may do. */
  readonly keys: { readonly all: string; readonly ping: string; readonly sync: string; readonly revoked: string };
}

/** Starts the service on a free port of this machine. */
export function startService(parts: Partial<Pick<ServerParts, "trust" | "tls">> = {}): Service {
  const engine = createRecordingEngine();
  granted(engine.createApplication("prod"));
  const keyOf = (scope: "all" | "ping" | "sync", letter: string) =>
    granted(engine.createKey("prod", scope, letter.repeat(32)));
  const [all, ping, sync, revoked] = [keyOf("all", "a"), keyOf("ping", "p"), keyOf("sync", "s"), keyOf("all", "r")];
  granted(engine.revokeKey(revoked.row.id));
  const server = createServer({
    engine,
    listen: { host: "127.0.0.1", port: 0 },
    tls: null,
    trust: { plainHttp: "loopback", trustedProxies: ["127.0.0.0/8", "::1/128"] },
    log: () => {},
    ...parts,
  });
  return {
    base: `${server.url}/api/v1`,
    port: server.port,
    keys: { all: all.key, ping: ping.key, sync: sync.key, revoked: revoked.key },
    [Symbol.asyncDispose]: () => server.stop(0),
  };
}
