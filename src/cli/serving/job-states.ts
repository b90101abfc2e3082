// How each job stands, at the brokers of the configuration: put together again at each reload.

import type { Config } from "../../config/keys.ts";
import type { Log } from "../../domain/log.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import { createJobStatesAt } from "../../notify/job-states.ts";
import { createNews } from "../../web/live/live.ts";
import { createCatchUp, inTurns } from "../../web/turns.ts";
import { after, systemClock } from "../clock.ts";

export function createJobStates({ views, changes }: Pick<RunningEngine, "views" | "changes">, log: Log) {
  const stopping = new AbortController();
  const board = views.newBoard();
  const catchUp = createCatchUp(board, after, stopping.signal);
  const news = createNews(changes);
  const running = new Map<string, { readonly written: string; readonly stop: () => Promise<void> }>();

  async function jobs() {
    await catchUp();
    return await inTurns(board.monitors(systemClock.now(), () => true));
  }

  const keepOnly = (written: (name: string) => string | undefined): Promise<unknown> =>
    Promise.all(
      [...running].map(([name, each]) => each.written !== written(name) && running.delete(name) && each.stop()),
    );

  return {
    configure: ({ destinations }: Config): void => {
      void keepOnly((name) => JSON.stringify(destinations.get(name)));
      for (const [destination, settings] of destinations) {
        if (settings.type !== "mqtt" || running.has(destination)) continue;
        const parts = { destination, jobs, statesOf: views.states, clock: systemClock, after, log };
        const states = createJobStatesAt(settings, parts);
        const unsubscribe = news.onChange(null, states.wake);
        const stop = (): Promise<void> => {
          unsubscribe();
          return states.stop();
        };
        running.set(destination, { written: JSON.stringify(settings), stop });
      }
    },
    stop: (): Promise<unknown> => {
      stopping.abort();
      return keepOnly(() => undefined);
    },
  };
}
