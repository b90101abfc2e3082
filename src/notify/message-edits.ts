// Edits sent messages so that they go on saying how their incident stands (R23): once it is acknowledged or over, or
// got a reply. Where a destination is removed, it takes back the incidents that stand open there. Edits notify no one,
// and never delay or repeat a delivery.

import { isAlert } from "../domain/message/message.ts";
import { MINUTE, SECOND } from "../domain/time.ts";
import { orElse } from "../domain/unless-missing.ts";
import type { Claim, Outbox, SentDelivery } from "../engine/api.ts";
import type { Channel, SendingParts, Verdict } from "./channel.ts";

/** The milliseconds between two edits, so many that deliveries have the services' limits for themselves. */
const EDIT_REST = 3 * SECOND;

/** How many incidents wait for their edits; messages of further ones stay as they were sent. */
const WAITING_MOST = 1_000;

const FAILED: Verdict = { verdict: "rejected", answer: "internal error while editing" };

export function createMessageEdits({ outbox, channels, log, after }: SendingParts & { readonly outbox: Outbox }) {
  const waiting = new Set<number>();
  const failing = new Set<string>();
  let isBusy = false;

  const rest = (ms: number) => new Promise<void>((resume) => after(ms, resume));

  /**
   * Notes that an incident has changed. The number of waiting incidents is bounded, and each is read as it stands when
   * its turn comes.
   */
  function changed(incidentId: number): void {
    if (waiting.size === WAITING_MOST || ![...channels.values()].some(({ edit }) => edit)) return;
    waiting.add(incidentId);
    if (!isBusy) void editAll();
  }

  async function editAll(): Promise<void> {
    isBusy = true;
    for (const incidentId of waiting) {
      // Each incident has a turn of the event loop by itself: neither the commit that led to it nor reports wait.
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
   * Removes the offer to reply from messages of a destination whose replies are no longer read. `channel` is the
   * destination's channel as it was before.
   */
  async function silence(destination: string, channel: Channel, incidentIds: readonly number[]): Promise<void> {
    if (channel.edit === undefined) return;
    for await (const { own } of sentAt(destination, incidentIds)) for (const sent of own) await edit(sent, channel);
  }

  /**
   * Ends the incidents at the service of a removed destination, which will not be told their end any more. `channel` is
   * the destination's channel as it was before.
   */
  async function takeBack(destination: string, channel: Channel, incidentIds: readonly number[]): Promise<void> {
    if (channel.takeBack === undefined) return;
    for await (const { incidentId, own } of sentAt(destination, incidentIds)) {
      if (channels.has(destination)) return;
      const isBack = await attempt(own[0]!, "incident_not_taken_back", channel.takeBack);
      if (isBack) orElse(undefined, () => outbox.tookBack(incidentId, destination));
    }
  }

  const edit = async (sent: SentDelivery, channel = channels.get(sent.destination)): Promise<void> =>
    void (channel?.edit && (await attempt(sent, "message_not_edited", channel.edit)));

  /** Attempts an edit. The log has one line when such attempts begin to fail at a destination. */
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
    /**
     * Notes that a message was sent and stored. If the incident has changed meanwhile, the message is edited, because
     * it does not say so.
     */
    stored: ({ id, message }: Claim): void => {
      if (!isAlert(message)) return;
      const incidentId = Number(message.data.incidentId);
      const now = orElse([], () => outbox.sentOf(incidentId)).find((sent) => sent.id === id)?.message;
      if (now !== undefined && isAlert(now) && !Bun.deepEquals(now.data.since, message.data.since)) changed(incidentId);
    },
  };
}
