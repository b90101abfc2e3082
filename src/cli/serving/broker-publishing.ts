// Publishes the state of each job at the MQTT brokers that the configuration names. Each reload sets this up again.

import type { Config } from "../../config/all-keys.ts";
import type { Log } from "../../domain/log.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import { doInPieces } from "../../http/yield.ts";
import { createBrokerStates } from "../../notify/broker-states.ts";
import type { MqttSettings } from "../../notify/mqtt.ts";
import { createCatchUp } from "../../web/catch-up.ts";
import { createNews } from "../../web/live/live.ts";
import { after, systemClock } from "../clock.ts";

export function createBrokerPublishing(
  { views, changes, scheduler }: Pick<RunningEngine, "views" | "changes" | "scheduler">,
  log: Log,
) {
  const stopping = new AbortController();
  const board = views.newBoard();
  const catchUp = createCatchUp(scheduler, board, after, stopping.signal);
  const news = createNews(changes);
  const running = new Map<string, RunningStates>();

  async function jobs() {
    await catchUp();
    return await doInPieces(
      scheduler,
      board.monitors(systemClock.now(), () => true),
    );
  }

  /**
   * Ends the publishing for destinations that were removed or changed. If no destination names their broker and topic
   * any more, the published messages are removed from the broker.
   */
  function endOthers(destinations: Config["destinations"]): void {
    const kept = new Set([...destinations.values()].flatMap((each) => (each.type === "mqtt" ? keptAt(each) : [])));
    for (const [name, each] of running) {
      if (each.written === JSON.stringify(destinations.get(name))) continue;
      running.delete(name);
      void (kept.has(each.at) ? each.stop() : each.leave());
    }
  }

  return {
    configure: ({ destinations }: Config): void => {
      endOthers(destinations);
      for (const [destination, settings] of destinations) {
        if (settings.type !== "mqtt" || running.has(destination)) continue;
        const parts = { destination, jobs, statesOf: views.jobStates, clock: systemClock, after, log };
        const states = createBrokerStates(settings, parts);
        const unsubscribe = news.onChange(null, states.wake);
        const ending = (end: () => Promise<void>) => (): Promise<void> => {
          unsubscribe();
          return end();
        };
        const ends = { stop: ending(states.stop), leave: ending(states.leave) };
        running.set(destination, { written: JSON.stringify(settings), at: keptAt(settings), ...ends });
      }
    },
    stop: (): Promise<unknown> => {
      stopping.abort();
      return Promise.all([...running.values()].map(({ stop }) => stop()));
    },
  };
}

interface RunningStates {
  readonly written: string;
  /** The broker's host and the topic. Two destinations with the same host and topic publish the same messages. */
  readonly at: string;
  readonly stop: () => Promise<void>;
  readonly leave: () => Promise<void>;
}

const keptAt = ({ url, topic }: MqttSettings): string => `${new URL(url).host} ${topic}`;
