// Serves `/metrics` to programs on this machine, and to clients that have the token or an administrator's key.

import { refuse } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { Clock } from "../../engine/api.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import { isSameSecret } from "../../engine/same-secret.ts";
import type { MeasuresRead } from "../../views/measures.ts";
import { bearerIn } from "../bearer.ts";
import { refusalCounts, refusalResponse, refusalWith } from "../error-responses.ts";
import { createFailureLog } from "../failure-log.ts";
import { EVERY_RESPONSE } from "../json-responses.ts";
import { createYield, type Yield } from "../yield.ts";
import { CONTENT_TYPE, FAMILIES, type Seen } from "./families.ts";

export const METRICS_PATH = "/metrics";

/**
 * Answers a scrape, which is one request of Prometheus for all metrics. `isOperator` says that the request comes from a
 * program on this machine, with no proxy between, or has an administrator's key.
 */
export type MetricsResponse = (
  request: Request,
  isOperator: boolean,
  client: () => string,
) => Response | Promise<Response>;

export interface MetricsParts {
  readonly engine: Pick<RunningEngine, "measures" | "views" | "troubles" | "scheduler">;
  readonly others: () => Pick<Seen, "endings" | "selfPing" | "machine">;
  /** The token that clients must send, read at each scrape; `null` when only operators may read the metrics. */
  readonly token: () => string | null;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * How many monitors have time series of their own at most. If there are more monitors, those in trouble come first, and
 * the others are only counted. Prometheus stores each series for a long time, which takes space.
 */
const MONITORS_SHOWN = 1_000;
/**
 * At most this share of the time is spent on reading monitors for scrapes. It holds for any number of monitors, and
 * however often metrics are asked for.
 */
const READING_SHARE = 1 / 20;

const NOT_FROM_AFAR = refuse(
  "ACCESS_DENIED",
  "metrics are for programs on rollcall's own machine, and for those that send server.metrics_token or an administrator's key",
);
const NO_TOKEN = refuse("AUTHENTICATION_REQUIRED", "send server.metrics_token as the header Authorization: Bearer …");

const HEADERS = new Headers({ ...EVERY_RESPONSE, "content-type": CONTENT_TYPE });

export function createMetrics(parts: MetricsParts): MetricsResponse {
  const { engine, others, token, clock, log } = parts;
  const noteFailure = createFailureLog(clock, log, "authentication_failed");
  const yieldNow = createYield(engine.scheduler);
  const reading = createReadings(parts, yieldNow);

  async function scrape(): Promise<Response> {
    const seen: Seen = {
      reading: await reading(),
      engine: engine.measures(),
      isReady: engine.troubles().length === 0,
      refusals: refusalCounts(),
      ...others(),
    };
    let text = "";
    for (const family of FAMILIES) {
      await yieldNow();
      text += family.text(seen);
    }
    return new Response(text, { headers: HEADERS });
  }

  return (request, isOperator, client) => {
    if (isOperator) return scrape();
    const expected = token();
    if (expected === null) return refusalResponse(NOT_FROM_AFAR);
    if (isSameSecret(bearerIn(request.headers), expected)) return scrape();
    noteFailure(client());
    return refusalWith(NO_TOKEN, { "www-authenticate": 'Bearer realm="rollcall"' });
  };
}

/**
 * Makes a function that reads the monitors for a scrape. Scrapes that come while the monitors are being read, or soon
 * after that, get the same result.
 */
function createReadings({ engine, clock }: MetricsParts, yieldNow: Yield) {
  let underWay: Promise<MeasuresRead> | null = null;
  let again = Number.NEGATIVE_INFINITY;
  let last: MeasuresRead | null = null;

  async function read(): Promise<MeasuresRead> {
    const work = engine.views.measures(MONITORS_SHOWN);
    let took = 0;
    for (;;) {
      await yieldNow();
      const from = clock.monotonic();
      const { done, value } = work.next();
      took += clock.monotonic() - from;
      if (!done) continue;
      last = value;
      again = clock.monotonic() + took / READING_SHARE;
      return value;
    }
  }

  return (): Promise<MeasuresRead> | MeasuresRead => {
    if (last !== null && clock.monotonic() < again) return last;
    underWay ??= read().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
