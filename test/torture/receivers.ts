// A real receiver for every way of sending, each of which may kill the sender: when it has the message and has not
// answered, or just after its answer, before the sender can have stored it.

import { startHttpSink } from "../support/http-sink.ts";
import { startSmtpServer } from "../support/smtp-server.ts";

/** When a receiver kills the sender: before it answers, or so many milliseconds after. */
export type Moment = "before the answer" | number;

/** A message as it arrived. */
export interface Arrival {
  readonly destination: string;
  /** As the sender names the message for this receiver; null: it has no name there. */
  readonly id: string | null;
  /** All of it. */
  readonly text: string;
  readonly life: number;
}

export interface Receivers extends AsyncDisposable {
  readonly arrivals: readonly Arrival[];
  /** The configuration with a destination for each, all of which take every alert. */
  readonly toml: string;
  /** To be called before each start of the sender. */
  newLife(): void;
  /** From now on `kill` is called when something arrives at this destination, once. */
  await(destination: string, moment: Moment, kill: () => void): void;
}

interface Way {
  /** Keys of the destination. */
  readonly toml: (url: string) => string;
  readonly answer: () => Response;
  readonly idOf: (headers: Readonly<Record<string, string>>, body: string) => string | null;
}

const noId = (): null => null;
const atUrl = (url: string): string => `url = "${url}"`;

const OVER_HTTP: Readonly<Record<string, Way>> = {
  slack: { toml: atUrl, answer: () => new Response("ok"), idOf: noId },
  discord: { toml: atUrl, answer: () => Response.json({ id: "1" }), idOf: noId },
  teams: { toml: atUrl, answer: () => new Response(null, { status: 202 }), idOf: noId },
  ntfy: {
    toml: (url) => `${atUrl(new URL(url).origin)}\ntopic = "alerts"`,
    answer: () => Response.json({ id: "1" }),
    idOf: noId,
  },
  pagerduty: {
    toml: (url) => `${atUrl(url)}\nintegration_key = "0123456789abcdef0123456789abcdef"`,
    answer: () => Response.json({ status: "success" }, { status: 202 }),
    idOf: (_, body) => JSON.parse(body).dedup_key,
  },
  webhook: {
    toml: (url) => `${atUrl(url)}\nsecret = "whsec_${"a".repeat(32)}"`,
    answer: () => new Response(null, { status: 204 }),
    idOf: (headers) => headers["webhook-id"] ?? null,
  },
};

export const DESTINATIONS = [...Object.keys(OVER_HTTP), "email"];

export async function openReceivers(): Promise<Receivers> {
  const stack = new AsyncDisposableStack();
  const arrivals: Arrival[] = [];
  let life = 0;
  let deadly: { destination: string; moment: Moment; kill: () => void } | null = null;

  function arrive(destination: string, id: string | null, text: string): void {
    arrivals.push({ destination, id, text, life });
    if (deadly?.destination !== destination) return;
    const { moment, kill } = deadly;
    deadly = null;
    if (moment === "before the answer") kill();
    else setTimeout(kill, moment);
  }

  const parts = Object.entries(OVER_HTTP).map(([name, { toml, answer, idOf }]) => {
    const sink = stack.use(
      startHttpSink((_, { headers, body }) => {
        arrive(name, idOf(headers, body), body);
        return answer();
      }),
    );
    return `[destinations.${name}]\ntype = "${name}"\n${toml(sink.url)}\n`;
  });
  const mails = stack.use(
    await startSmtpServer({
      message: (raw) => {
        arrive("email", /^Message-ID: (.*)$/im.exec(raw)?.[1] ?? null, raw);
        return null;
      },
    }),
  );
  const toml = `
[limits]
v1_per_minute = 0
v1_per_hour = 0
[smtp]
host = "127.0.0.1"
port = ${mails.port}
security = "none"
from = "rollcall@example.org"
[team]
destinations = [${DESTINATIONS.map((name) => `"${name}"`).join(", ")}]
members = [{ name = "Ada", email = "ada@example.org" }]
${parts.join("")}`;
  return {
    arrivals,
    toml,
    newLife: () => {
      life += 1;
      deadly = null;
    },
    await: (destination, moment, kill) => {
      deadly = { destination, moment, kill };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
