// Notes where the reports of each monitor come from: computer, program and API key. A monitor and key are noted at most
// once a minute, in memory. The notes are written every 10 seconds, so that no report waits for that write.

import { type InPieces, piecesOf } from "../../domain/in-pieces.ts";
import { type Instant, MINUTE, SECOND } from "../../domain/time.ts";
import type { Sender } from "../../store/pings.ts";
import type { Store } from "../../store/store.ts";
import type { Caller, Origin } from "../api.ts";
import type { EngineTools } from "../engine-context.ts";
import { inTransaction } from "../transaction.ts";

const WRITE_EVERY = 10 * SECOND;

/**
 * For how many monitors the sender of a report is noted in one minute. Further monitors are noted in a later minute.
 */
const NOTED_MAX = 20_000;

const WRITTEN_A_PIECE = 200;

const AGENT_SHOWN = 200;

type Noted = Sender & {
  readonly applicationId: number;
  /** The key of the monitor; empty when the request is about no single monitor, such as a sync. */
  readonly monitorKey: string;
  readonly at: Instant;
};

type SendersParts = Pick<EngineTools, "clock" | "background"> & { readonly context: { readonly store: Store } };

export function createSenders({ context: { store }, clock, background }: SendersParts) {
  /** By the id of an API key: the keys of the monitors whose sender with this API key was noted in this minute. */
  let noted = new Map<number, Set<string>>();
  let unwritten: Noted[] = [];
  let count = 0;
  let forgotAt = clock.monotonic();
  let wroteAt = clock.monotonic();

  /** Notes one request that had a valid API key. `monitorKey` is `null` when the request is about no single monitor. */
  function note({ keyId, applicationId }: Caller, monitorKey: string | null, origin: Origin): void {
    let ofKey = noted.get(keyId);
    if (ofKey === undefined) {
      ofKey = new Set();
      noted.set(keyId, ofKey);
    }
    const monitor = monitorKey ?? "";
    if (ofKey.has(monitor) || count >= NOTED_MAX) return;
    count++;
    const agent = origin.headers.get("user-agent")?.slice(0, AGENT_SHOWN) ?? null;
    ofKey.add(monitor);
    unwritten.push({ keyId, applicationId, monitorKey: monitor, address: origin.client(), agent, at: clock.now() });
  }

  function take(): Noted[] {
    const taken = unwritten;
    unwritten = [];
    return taken;
  }

  function write(senders: readonly Noted[]): void {
    if (senders.length === 0) return;
    const last = new Map(senders.map((sender) => [sender.keyId, sender]));
    inTransaction(store, () => {
      for (const { keyId, address, agent, monitorKey } of last.values())
        store.keys.setLastUse(keyId, { address, agent, monitor: monitorKey === "" ? null : monitorKey });
      for (const { applicationId, monitorKey, at, ...sender } of senders) {
        const monitorId = monitorKey === "" ? null : store.monitors.find(applicationId, monitorKey);
        if (monitorId !== null) store.senders.save(monitorId, sender, at);
      }
    });
  }

  function* writeInPieces(): InPieces<void> {
    for (const some of piecesOf(take(), WRITTEN_A_PIECE)) {
      write(some);
      yield;
    }
  }

  /**
   * Forgets after each minute which monitors were noted, and writes the notes every ten seconds. Must be called once a
   * second.
   */
  function review(): void {
    const now = clock.monotonic();
    if (now - forgotAt >= MINUTE) {
      noted = new Map();
      count = 0;
      forgotAt = now;
    }
    if (unwritten.length === 0 || now - wroteAt < WRITE_EVERY) return;
    wroteAt = now;
    background.through(writeInPieces());
  }

  return { note, review, save: () => write(take()) };
}
