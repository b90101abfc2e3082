// Publishes the state of each job as a retained message at an MQTT broker, so that a program that connects later reads
// it too. Also announces each job to Home Assistant, and removes the messages of jobs that are gone, even those of an
// earlier process.

import { createHash } from "node:crypto";
import type { MqttClient } from "mqtt";
import { piecesOf } from "../domain/in-pieces.ts";
import { MINUTE, SECOND } from "../domain/time.ts";
import type { SendingParts } from "./channel.ts";
import { connectTo, type MqttSettings, toBroker, verdictOnBroker } from "./mqtt.ts";

type NamedJob = Readonly<{ application: string; key: string; name: string }>;

export interface JobStatesParts<Job extends NamedJob> extends Pick<SendingParts, "clock" | "after" | "log"> {
  readonly destination: string;
  /** Returns all jobs. A job that has not changed must be the same object as in the call before. */
  readonly jobs: () => Promise<readonly Job[]>;
  /** Returns the state of each of these jobs, in the same order, as it is published. */
  readonly statesOf: (jobs: readonly Job[]) => readonly object[];
}

/** How many jobs are published at most; further jobs are left out. */
const JOBS_MOST = 10_000;
const PUBLISHED_AT_ONCE = 50;
const HEARD_MOST = 64 * 1024 * 1024;
/**
 * How many milliseconds lie between two comparisons of our jobs with the broker's messages: at least, and at most.
 * Comparing takes at most the share `LOOKING_SHARE` of the whole time.
 */
const SOONEST = SECOND;
const LATEST = 10 * SECOND;
const LOOKING_SHARE = 1 / 20;
/**
 * How many milliseconds to wait before connecting again when the broker refused us. After other failures we wait
 * `LATEST`.
 */
const REFUSED = 10 * MINUTE;
/** How many milliseconds a stop waits until the broker has taken our last message, `offline`. */
const STOP_MAX = SECOND;
/** How many milliseconds the removal of all our messages at the broker may take. */
const LEAVING_MAX = 10 * SECOND;

const KEPT = { retain: true } as const;

/**
 * Keeps the messages about jobs at the broker up to date until `stop` is called. `wake` says that a job may have
 * changed.
 */
export function createBrokerStates<Job extends NamedJob>(settings: MqttSettings, parts: JobStatesParts<Job>) {
  const { destination, clock, after, log } = parts;
  const status = statusTopic(settings.topic);
  /** The messages that the broker retains: the job in each, by topic. `null` for a message of an earlier process. */
  const known = new Map<string, Job | null>();
  let client: MqttClient | null = null;
  let isFailing = false;
  let nextAt = 0;
  let cancel = (): void => {};
  let looking = Promise.resolve();

  const wake = (): void => {
    if (client?.connected) nextAt = 0;
  };

  function connect(): void {
    const will = { topic: status, payload: Buffer.from("offline"), qos: 1, retain: true } as const;
    const opened = connectTo(settings, { heardMost: HEARD_MOST, failed: (error) => lost(opened, error), will });
    client = opened;
    opened.on("message", (topic, _payload, { retain }) => {
      if (retain && known.size < 2 * JOBS_MOST && !known.has(topic)) known.set(topic, null);
    });
    opened.on("connect", () => {
      const hearing = opened.subscribeAsync(`${settings.topic}/+/+/state`, { qos: 0, nl: true });
      Promise.all([hearing, toBroker(opened, status, "online", KEPT)]).then(wake, (error) => lost(opened, error));
    });
  }

  function lost(from: MqttClient, error: unknown): void {
    if (from !== client) return;
    client = null;
    known.clear();
    from.end(true);
    const { verdict, answer } = verdictOnBroker(error);
    nextAt = clock.monotonic() + (verdict === "blocked" ? REFUSED : LATEST);
    if (!isFailing) log("warn", "job_states_failed", { destination, answer });
    isFailing = true;
  }

  async function look(at: MqttClient): Promise<void> {
    nextAt = clock.monotonic() + LATEST;
    try {
      await tellStates(at, settings.topic, known, await parts.jobs(), parts.statesOf);
      if (isFailing) log("info", "job_states_told", { destination });
      isFailing = false;
    } catch (error) {
      lost(at, error);
    }
  }

  async function beat(): Promise<void> {
    const began = clock.monotonic();
    if (began >= nextAt && client === null) connect();
    else if (began >= nextAt && client?.connected) {
      looking = look(client);
      await looking;
    }
    if (Number.isFinite(nextAt)) cancel = after(Math.max(SOONEST, (clock.monotonic() - began) / LOOKING_SHARE), beat);
  }

  /** Sends a last message and ends the connection. Returns whether the broker took it within `most` milliseconds. */
  async function endWith(lastWord: (to: MqttClient) => Promise<unknown>, most: number): Promise<boolean> {
    const last = client;
    client = null;
    nextAt = Number.POSITIVE_INFINITY;
    cancel();
    const isTaken = last?.connected === true && (await isTakenWithin(most, lastWord(last), after));
    last?.end(true);
    return isTaken;
  }

  const stop = async (): Promise<void> => void (await endWith((to) => toBroker(to, status, "offline", KEPT), STOP_MAX));

  /** Removes all messages that the broker retains for us. Used when no destination names this broker and topic. */
  async function leave(): Promise<void> {
    const isTaken = await endWith((to) => looking.then(() => takeAway(to, settings.topic, known)), LEAVING_MAX);
    if (!isTaken) log("warn", "job_states_left", { destination, rule: LEFT });
  }

  void beat();
  return { wake, stop, leave };
}

const isTakenWithin = (ms: number, saying: Promise<unknown>, after: SendingParts["after"]): Promise<boolean> =>
  new Promise((resolve) => {
    saying.then(
      () => resolve(true),
      () => resolve(false),
    );
    after(ms, () => resolve(false));
  });

const LEFT = "its broker kept how each job stood: take away the retained messages of its topic there";

/**
 * Removes our retained messages, and closes the connection properly: otherwise the broker would publish our last will,
 * "offline".
 */
async function takeAway(at: MqttClient, prefix: string, known: Map<string, NamedJob | null>): Promise<void> {
  await tellStates(at, prefix, known, [], () => []);
  await toBroker(at, statusTopic(prefix), "", KEPT);
  await at.endAsync();
}

/**
 * Publishes each job whose message at the broker (in `known`) is out of date, and removes messages of jobs that are
 * gone. The promise rejects when the broker refuses a message.
 */
async function tellStates<Job extends NamedJob>(
  at: MqttClient,
  prefix: string,
  known: Map<string, Job | null>,
  jobs: readonly Job[],
  statesOf: JobStatesParts<Job>["statesOf"],
): Promise<void> {
  const keep = (topic: string, payload: string) => toBroker(at, topic, payload, KEPT);
  const wanted = new Map(jobs.slice(0, JOBS_MOST).map((job) => [stateTopic(prefix, job), job]));
  const gone = [...known.keys()].filter((topic) => !wanted.has(topic)).map((topic) => [topic, null] as const);
  const changed = [...wanted].filter(([topic, job]) => known.get(topic) !== job);
  for (const piece of piecesOf([...gone, ...changed], PUBLISHED_AT_ONCE)) {
    const states = statesOf(piece.flatMap(([, job]) => job ?? [])).values();
    const keeping = piece.flatMap(([topic, job]) => {
      const state = keep(topic, job === null ? "" : JSON.stringify(states.next().value));
      if (job !== null && known.get(topic)?.name === job.name) return [state];
      const id = `rollcall_${createHash("sha256").update(topic).digest("hex").slice(0, 16)}`;
      const announcement = job === null ? "" : JSON.stringify(sensorOf(prefix, id, topic, job.name));
      return [state, keep(`homeassistant/binary_sensor/${id}/config`, announcement)];
    });
    await Promise.all(keeping);
    for (const [topic, job] of piece) {
      if (job === null) known.delete(topic);
      else known.set(topic, job);
    }
  }
}

/** The topic that says whether rollcall runs. When the connection breaks, the broker publishes "offline" there. */
const statusTopic = (prefix: string): string => `${prefix}/status`;

const stateTopic = (prefix: string, { application, key }: NamedJob): string =>
  `${prefix}/${[application, key].map(topicPart).join("/")}/state`;

/** Encodes characters that would split a topic or act as a wildcard, as in a URL: `a/b` becomes `a%2Fb`. */
const topicPart = (text: string): string => text.toWellFormed().replace(/[%+#/$\p{Cc}]/gu, encodeURIComponent);

/** Returns the announcement of a job's sensor in the form that Home Assistant expects. */
const sensorOf = (prefix: string, id: string, state: string, name: string) => ({
  name,
  unique_id: id,
  device_class: "problem",
  state_topic: state,
  value_template: "{{ 'ON' if value_json.status == 'critical' else 'OFF' }}",
  json_attributes_topic: state,
  availability_topic: statusTopic(prefix),
  device: { identifiers: [`rollcall_${prefix}`], name: prefix },
});
