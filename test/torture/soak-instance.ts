// What stands around the jobs of the soak: the service, a receiver that fails now and then, and everybody else who asks
// the service for something. Each asks at its own steady pace.

import { connect } from "node:net";
import { join } from "node:path";
import type { OperationName } from "../../src/engine/operations/operations.ts";
import type { Random } from "../simulation/random.ts";
import { type Folder, firstKeyOf, openFolder, type Service } from "../support/executable.ts";
import { basic } from "../support/http-client.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { askSocket } from "../support/management.ts";
import type { Ask } from "./soak-jobs.ts";
import { configurationTo } from "./tortured.ts";

export interface SoakInstance extends AsyncDisposable {
  readonly folder: Folder;
  readonly service: Service;
  readonly apiKey: string;
  /** The kinds of the alerts that arrived about each monitor, in their order and without repeats. */
  readonly arrived: ReadonlyMap<string, readonly string[]>;
  /** From now on the receiver takes everything. */
  calm(): void;
}

/** In each of these spans the receiver refuses everything for a while, beginning in its middle. Milliseconds. */
const REFUSES_EVERY = 120_000;
const REFUSES_FOR = 15_000;
const REFUSES_ONE = 0.02;

export async function openSoakInstance(random: Random): Promise<SoakInstance> {
  const arrived = new Map<string, string[]>();
  const seen = new Set<string>();
  const begun = performance.now();
  let isCalm = false;
  const refuses = (): boolean => {
    const phase = (performance.now() - begun) % REFUSES_EVERY;
    const isDown = phase > REFUSES_EVERY / 2 && phase < REFUSES_EVERY / 2 + REFUSES_FOR;
    return !isCalm && (isDown || random.chance(REFUSES_ONE));
  };
  const receiver = startHttpSink((_, { headers, body }) => {
    if (refuses()) return new Response("not now", { status: 503 });
    const { data } = JSON.parse(body);
    const id = headers["webhook-id"] ?? "";
    if (data.monitorKey === undefined || seen.has(id)) return new Response(null, { status: 204 });
    seen.add(id);
    arrived.set(data.monitorKey, [...(arrived.get(data.monitorKey) ?? []), data.kind]);
    return new Response(null, { status: 204 });
  });
  const folder = openFolder({ "rollcall.toml": configurationTo(receiver.url) });
  const service = await folder.serve();
  return {
    folder,
    service,
    apiKey: firstKeyOf(service),
    arrived,
    calm: () => {
      isCalm = true;
    },
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

export interface Neighbour {
  /** Milliseconds. */
  readonly every: number;
  /** `round` counts from 0. */
  readonly ask: (round: number) => Promise<void>;
}

const REGISTERED = 50;
const COMMANDS: readonly (readonly [OperationName, object])[] = [
  ["monitor list", {}],
  ["monitor show", { key: "reg-1" }],
  ["incident list", {}],
  ["monitor pause", { key: "reg-1" }],
  ["notify list", {}],
  ["monitor resume", { key: "reg-1" }],
  ["key list", {}],
  ["app syncs", {}],
  ["monitor refused", {}],
];
/** Milliseconds. */
const RUDE_FOR = 1_000;

/** A scheduler with its registry, a person with commands, whoever watches the service, and clients that go away. */
export function neighboursOf({ folder, service, apiKey }: SoakInstance, ask: Ask): Neighbour[] {
  const socket = join(folder.path, "data/rollcall.sock");
  const port = Number(new URL(service.url).port);
  return [
    { every: 3_000, ask: (round) => declare(ask, apiKey, round) },
    { every: 5_000, ask: async () => void (await ask("/api/sync/status", { headers: basic(apiKey) })) },
    { every: 5_000, ask: async () => void (await ask("/healthz", {})) },
    {
      every: 700,
      ask: async (round) => {
        const [operation, input] = COMMANDS[round % COMMANDS.length]!;
        const { status, body } = await askSocket(socket, operation, input);
        if (status !== 200) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`);
      },
    },
    { every: 2_000, ask: () => goAway(port) },
  ];
}

/** Each time another of its jobs has a new name. */
async function declare(ask: Ask, apiKey: string, round: number): Promise<void> {
  const monitors = Array.from({ length: REGISTERED }, (_, place) => ({
    key: `reg-${place}`,
    name: `job ${Math.floor((round + place) / REGISTERED)}`,
    schedule: "30 4 * * *",
  }));
  const answer = await ask("/api/v1/sync", {
    method: "POST",
    headers: { ...basic(apiKey), "content-type": "application/json" },
    body: JSON.stringify({ source: "soak", monitors }),
  });
  const summary = answer === null ? {} : JSON.parse(answer).summary;
  const expected = round === 0 ? { created: REGISTERED, updated: 0 } : { created: 0, updated: 1 };
  if (summary.created !== expected.created || summary.updated !== expected.updated || summary.errors !== 0)
    throw new Error(`sync ${round}: ${JSON.stringify(summary)}`);
}

/** Leaves in the middle of its request. */
const goAway = (port: number): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("POST /api/v1/ping/job-1/ck_app_x HTTP/1.1\r\nHos"));
    socket.on("error", () => {});
    setTimeout(() => {
      socket.destroy();
      resolve();
    }, RUDE_FOR);
  });
