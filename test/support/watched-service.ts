// The service over HTTP at times that the test sets: the real server on a real socket before the real engine, whose
// clock the test moves. What was told and what is known is read from the engine, because it cannot be asked for by
// HTTP.

import { statusOf } from "../../src/domain/monitor/monitor.ts";
import type { Policy } from "../../src/domain/settings/policy.ts";
import { toIsoOrNull } from "../../src/domain/time.ts";
import { openService, policyWith, type Service } from "./engine.ts";
import { type Answer, ask } from "./http-client.ts";
import { until } from "./manual-time.ts";
import { startPublicServer } from "./public-server.ts";
import { granted } from "./service.ts";
import { instantOf } from "./timeline-table.ts";

export interface WatchedService extends AsyncDisposable {
  readonly engine: Service["engine"];
  /** The service behind the server, for what only a test does: kills, gaps, destinations that fail. */
  readonly instance: Service;
  /** A live key of the application `prod`. */
  readonly key: string;
  /** Moves the clock to a time of `timeline-table.ts`, and runs everything that is due by that time. */
  at(time: string): void;
  /**
   * Moves the clock, then sends a POST about the monitor `job`, such as `/start`, `?schedule=…` or `/fail?message=…`,
   * and returns the answer.
   */
  report(time: string, rest?: string): Promise<Answer>;
  /** Sends a request with any other path, method and header. */
  ask(path: string, init?: BunFetchRequestInit): Promise<Answer>;
  /**
   * The alerts of `job` since the last call, as lines: `10:03:05 InitialFailure missed`. A reason that says more
   * follows.
   */
  news(): string[];
  status(): string;
  /** The expected slot, as the time of day in UTC; `null` when there is none. */
  expects(): string | null;
  /** The runs of the last reports and all open runs, newest first. */
  runs(): { readonly state: string; readonly durationSeconds: number | null; readonly legacy: boolean }[];
}

/** Reasons that the alert's kind already says. */
const PLAIN_REASONS = ["opened", "success", "new_cause"];

/** Starts at a time of `timeline-table.ts`; `root` is that of the version of the reports. */
export function watchService(startedAt = "09:59:00", policy: Policy = policyWith(), root = "/api/v1"): WatchedService {
  const instance = openService(policy, instantOf(startedAt));
  const { key } = granted(instance.engine.operate("key create", { application: "prod" }));
  const server = startPublicServer(instance.engine, {
    clock: { now: () => instance.now, monotonic: () => instance.now },
  });
  const details = () => granted(instance.engine.operate("monitor show", { application: "prod", key: "job" }));
  let read = 0;

  const at = (time: string): void => instance.look(instantOf(time));

  /** The engine's turns end when the test says so; here they end with the turns of the real event loop. */
  async function send(path: string, init: BunFetchRequestInit = {}): Promise<Answer> {
    let isOver = false;
    const answer = ask(`${server.url}${path}`, init).finally(() => {
      isOver = true;
    });
    await until(() => {
      instance.endTurns();
      return isOver;
    });
    return answer;
  }

  function report(time: string, rest = ""): Promise<Answer> {
    at(time);
    const [operation = "", query = ""] = rest.split("?");
    return send(`${root}/ping/job/${key}${operation}?${query}`, { method: "POST" });
  }

  function news(): string[] {
    const told = instance.notified().filter(({ monitor }) => monitor === "job");
    const fresh = told.slice(read);
    read = told.length;
    return fresh.map(({ at, kind, cause, reason }) =>
      [timeOf(at), kind, cause, ...(PLAIN_REASONS.includes(reason) ? [] : [`(${reason})`])].join(" "),
    );
  }

  return {
    engine: instance.engine,
    instance,
    key,
    at,
    report,
    ask: send,
    news,
    status: () => statusOf(instance.monitor(), instance.now),
    expects: () => {
      const expected = toIsoOrNull(instance.monitor().expectedAt);
      return expected === null ? null : timeOf(expected);
    },
    runs: () => [...details().runs],
    [Symbol.asyncDispose]: async () => {
      await server.stop(0);
      instance[Symbol.dispose]();
    },
  };
}

/** The time as the contract's tables write it: without the date when that is 2 March 2026. */
function timeOf(iso: string): string {
  const [date = "", time = ""] = iso.split("T");
  const clock = time.slice(0, 8);
  return date === "2026-03-02" ? clock : `${date.slice(5)} ${clock}`;
}
