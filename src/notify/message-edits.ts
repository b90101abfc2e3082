// Edits messages that were sent, so that they show how their incident stands now (R23): acknowledged, over, or with a
// reply. When a destination is removed, it also closes the incidents that the destination's service, such as PagerDuty,
// keeps open. Edits notify no one and never delay or repeat a delivery.

import { isAlert } from "../domain/message/message.ts";
import { MINUTE, SECOND } from "../domain/time.ts";
import { orElse } from "../domain/unless-missing.ts";
import type { Claim, Outbox, SentDelivery } from "../engine/api.ts";
import type { Channel, SendingParts, Verdict } from "./channel.ts";

/** How many milliseconds to wait after an edit. Services limit requests, and deliveries need most of them. */
const EDIT_REST = 3 * SECOND;

/** How many incidents may wait to have their messages edited. Messages of further incidents stay as they are. */
const WAITING_MOST = 1_000;

const FAILED: Verdict = { verdict: "rejected", answer: "internal error while editing" };

export function createMessageEdits({ outbox, channels, log, after }: SendingParts & { readonly outbox: Outbox }) {
  const waiting = new Set<number>();
  const failing = new Set<string>();
  let isBusy = false;

  const rest = (ms: number) => new Promise<void>((resume) => after(ms, resume));

  /** Notes a changed incident, so that its messages are edited soon. The incident is read only when its turn comes. */
  function changed(incidentId: number): void {
    if (waiting.size === WAITING_MOST || ![...channels.values()].some(({ edit }) => edit)) return;
    waiting.add(incidentId);
    if (!isBusy) void editAll();
  }

  async function editAll(): Promise<void> {
    isBusy = true;
    for (const incidentId of waiting) {
      // Each incident has its own turn of the event loop, so that reports need not wait.
      await rest(0);
      waiting.delete(incidentId);
      for (const sent of orElse([], () => outbox.sentOf(incidentId))) await edit(sent);
    }
    isBusy = false;
  }

  async function* sentAt(destination: string, incidentIds: readonly number[]) {
    for (const incidentId of incidentIds.slice(0, WAITING_MOST)) {
      await rest(0);
      const own = orElse([], () => outbox.sentOf(incidentId)).filter((sent) => sent.destination === destination);
      if (own.length > 0) yield { incidentId, own };
    }
  }

  /**
   * Removes the offer to reply from the sent messages of a destination whose replies are no longer read. `channel` is
   * the one that the destination had before the reload.
   */
  async function silence(destination: string, channel: Channel, incidentIds: readonly number[]): Promise<void> {
    if (channel.edit === undefined) return;
    for await (const { own } of sentAt(destination, incidentIds)) for (const sent of own) await edit(sent, channel);
  }

  /**
   * Closes the incidents that a removed destination keeps open at its service, because no message will tell the service
   * that they are over. `channel` is the one that the destination had before the reload.
   */
  async function takeBack(destination: string, channel: Channel, incidentIds: readonly number[]): Promise<void> {
    if (channel.takeBack === undefined) return;
    for await (const { incidentId, own } of sentAt(destination, incidentIds)) {
      if (channels.has(destination)) return;
      const isBack = await attempt(own[0]!, "incident_not_taken_back", channel.takeBack);
      if (isBack) orElse(undefined, () => outbox.noteTakenBack(incidentId, destination));
    }
  }

  const edit = async (sent: SentDelivery, channel = channels.get(sent.destination)): Promise<void> =>
    void (channel?.edit && (await attempt(sent, "message_not_edited", channel.edit)));

  /**
   * Returns whether the edit, or the closing of an incident at a pager, succeeded. When edits at
   * one destination fail one after another, only the first failure is logged.
   */
  async function attempt(sent: SentDelivery, failed: string, change: (sent: SentDelivery) => Promise<Verdict>) {
    const { destination, id: delivery } = sent;
    const verdict = await Promise.try(() => change(sent)).catch(() => FAILED);
    if (verdict.verdict === "delivered") failing.delete(destination);
    else if (!failing.has(destination)) {
      failing.add(destination);
      log("warn", failed, { destination, delivery, answer: verdict.answer });
    }
    const asksFor = verdict.verdict === "retry" ? (verdict.afterMs ?? 0) : 0;
    await rest(Math.min(MINUTE, Math.max(EDIT_REST, asksFor)));
    return verdict.verdict === "delivered";
  }

  return {
    changed,
    silence: (...what: Parameters<typeof silence>): void => void silence(...what),
    takeBack: (...what: Parameters<typeof takeBack>): void => void takeBack(...what),
    /** Called once a message is stored as sent. If its incident changed meanwhile, the message is edited. */
    stored: ({ id, message }: Claim): void => {
      if (!isAlert(message)) return;
      const incidentId = Number(message.data.incidentId);
      const now = orElse([], () => outbox.sentOf(incidentId)).find((sent) => sent.id === id)?.message;
      if (now !== undefined && isAlert(now) && !Bun.deepEquals(now.data.since, message.data.since)) changed(incidentId);
    },
  };
}
