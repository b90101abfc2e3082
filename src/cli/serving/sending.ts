// Connects the parts by which `rollcall serve` sends alerts, reads replies to them, and reports to another monitoring
// service (`[self]`). A reload sets this up again.

import type { Database } from "bun:sqlite";
import { createProgramRunner } from "../../backup/programs.ts";
import type { Config } from "../../config/all-keys.ts";
import { type Destination, type SendingDestination, sendingIn } from "../../config/destination-keys.ts";
import { dashboardUrl, destinationFingerprints, policyOfConfig } from "../../config/read-policy.ts";
import type { Log } from "../../domain/log.ts";
import { isAlert } from "../../domain/message/message.ts";
import type { TestMessage } from "../../domain/message/test-message.ts";
import { routesAt } from "../../domain/settings/alert-routes.ts";
import { BROWSERS, type Policy, type Route } from "../../domain/settings/policy.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type { ClaimedDelivery, GoesTo } from "../../engine/api.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import { createOutbox, type OutboxEngine } from "../../engine/outbox/outbox.ts";
import type { Channel, SendingParts, Verdict } from "../../notify/channel.ts";
import { createNotifier } from "../../notify/notifier.ts";
import { createPolledReplies } from "../../notify/polled-replies.ts";
import { RESPONSE_TIMES, SEND_TIMEOUT } from "../../notify/post.ts";
import { createChannel, type DescriptorReserve, sendingWithReserve } from "../../notify/registry.ts";
import { createTakeReply } from "../../notify/replies.ts";
import { createSelfPing, type SelfPing } from "../../notify/self-ping.ts";
import { createUnstored, sendOnce } from "../../notify/unstored.ts";
import { contactFor } from "../../notify/web-push.ts";
import { createWebhookReplies } from "../../notify/webhook-replies.ts";
import { type DestinationRows, destinationRows, openIncidentsToldAt } from "../../store/deliveries.ts";
import { replyPath } from "../../web/paths.ts";
import { after, randomFraction, systemClock } from "../clock.ts";
import { plainEnvironment } from "../executable.ts";

type SendingEngine = OutboxEngine & Pick<RunningEngine, "replies" | "browsers" | "steadySince">;

/** Adds the destination for browsers. It always exists, because people add their browsers themselves. */
const withBrowsers = (config: Config): Config => ({
  ...config,
  destinations: new Map([[BROWSERS, { type: "webpush", name: BROWSERS }], ...config.destinations]),
});

const clockOf = (engine: () => SendingEngine | null): Pick<SendingParts, "clock" | "steadySince"> => ({
  clock: systemClock,
  steadySince: () => engine()?.steadySince() ?? systemClock.now(),
});

const goesBy =
  (policy: Policy): GoesTo =>
  (destination, recipient, application) =>
    (routesAt(policy, destination, application) ?? []).some((route) => route.recipient === recipient);

/**
 * Moves the deliveries of each renamed destination to its new name (R38). The stored failure of such a destination
 * moves too. A command renamed those in `renamed`. In the configuration file, a destination was renamed when one name
 * is gone and a new name has the same settings. Must be called in a transaction.
 */
function followNames(
  rows: DestinationRows,
  renamed: ReadonlyMap<string, string>,
  fingerprints: ReadonlyMap<string, string>,
  log: Log,
): void {
  for (const [from, to] of renamed) if (!fingerprints.has(from) && fingerprints.has(to)) rows.rename(from, to);
  for (const [from, to] of renamesBetween(rows.fingerprints(), fingerprints)) {
    const waiting = rows.rename(from, to);
    log("info", "destination_renamed", { destination: from, to, waiting });
  }
}

/**
 * Returns the old and new name of each renamed destination. If several destinations have the same settings, it cannot
 * be told which one was renamed, and none is returned.
 */
function renamesBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): [string, string][] {
  const went = Map.groupBy(
    [...before].filter(([name]) => !after.has(name)),
    ([, fingerprint]) => fingerprint,
  );
  const came = Map.groupBy(
    [...after].filter(([name]) => !before.has(name)),
    ([, fingerprint]) => fingerprint,
  );
  return [...went].flatMap(([fingerprint, names]): [string, string][] => {
    const others = came.get(fingerprint) ?? [];
    return names.length === 1 && others.length === 1 ? [[names[0]![0], others[0]![0]]] : [];
  });
}

/**
 * Sends a test to each recipient of a destination at once, not through the outbox. Returns the first failure, or the
 * verdict on the last recipient.
 */
async function sendToAll(
  channel: Channel,
  routes: readonly Route[],
  message: TestMessage,
  parts: SendingParts,
): Promise<Verdict> {
  let verdict: Verdict = { verdict: "blocked", answer: "it has no recipients" };
  for (const route of routes) {
    verdict = await sendOnce(channel, route, message, parts);
    if (verdict.verdict !== "delivered") return verdict;
  }
  return verdict;
}

export function createSending(database: Database, reserve: DescriptorReserve, log: Log) {
  let engine: SendingEngine | null = null;
  const outbox = createOutbox(database, log, {
    deliveriesEnded: () => engine?.deliveriesEnded(),
    worksAgain: () => engine?.worksAgain(),
    isSettling: () => engine?.isSettling() ?? false,
  });
  const channels = new Map<string, Channel>();
  const settings = new Map<string, string>();
  const rows = destinationRows(database);
  const openAt = openIncidentsToldAt(database);
  /** New names of destinations by their old names, from a command until the reload that puts the new name in force. */
  const renamed = new Map<string, string>();
  const common = { ...clockOf(() => engine), channels, random: randomFraction, log, after };
  const notifier = createNotifier({ ...common, outbox });
  const withDescriptors = sendingWithReserve(reserve, after);
  const replyReader = createReplyReader({ ...common, ...notifier, openAt }, (from, reply) =>
    engine!.replies.take(from, reply),
  );
  const programs = createProgramRunner(plainEnvironment(), RESPONSE_TIMES * SEND_TIMEOUT, after);

  function channelOf(config: Config, destination: SendingDestination): Channel {
    const own = { run: programs.run, browsers: () => engine!.browsers, contact: contactFor(config) };
    const ofChannel = { ...destination, smtp: config.smtp, ...own };
    return createChannel(ofChannel, withDescriptors, (delivery) => withReplies(delivery, engine, dashboardUrl(config)));
  }

  /**
   * Sends by this configuration from the next message on. Messages that wait at a changed destination become due now
   * (R36); messages under way keep the old settings. Throws what SQLite throws; messages then go out by the settings
   * before, though a rename may already be stored.
   */
  function configure(given: Config, policy: Policy): void {
    const config = withBrowsers(given);
    const sending = new Map(sendingIn(config.destinations));
    const fingerprints = destinationFingerprints(config);
    database.transaction(() => followNames(rows, renamed, fingerprints, log))();
    renamed.clear();
    const changed = outbox.reconfigured(fingerprints, systemClock.now(), goesBy(policy));
    if (changed.length > 0) log("info", "destinations_changed", { destinations: changed });
    const removed = [...channels.keys()].filter((name) => !sending.has(name));
    for (const name of removed) {
      notifier.takeBack(name, channels.get(name)!, openAt(name));
      channels.delete(name);
      settings.delete(name);
    }
    for (const [name, destination] of sending) {
      const written = JSON.stringify([destination, config.smtp, dashboardUrl(config), config.server.publicUrl]);
      if (settings.get(name) === written) continue;
      channels.set(name, channelOf(config, destination));
      settings.set(name, written);
    }
    notifier.reconfigured([...changed, ...removed]);
    replyReader.configure(config);
    if (engine !== null) replyReader.hear();
  }

  const tryOut = (config: Config, name: string, message: TestMessage): Promise<Verdict> => {
    const channel = channelOf(config, new Map(sendingIn(config.destinations)).get(name)!);
    return sendToAll(channel, routesAt(policyOfConfig(config), name) ?? [], message, common);
  };

  /**
   * Renames a destination; must be called in a transaction. Messages that wait at the destination get the new name at
   * once. Alerts raised before the next reload still get the old name, and get the new one at that reload.
   */
  function rename(from: string, to: string): number {
    const channel = channels.get(from);
    if (channel !== undefined) channels.set(to, channel);
    renamed.set(from, to);
    return rows.rename(from, to);
  }

  function start(filledBy: SendingEngine): void {
    engine = filledBy;
    replyReader.hear();
    notifier.start();
  }

  /** Stops sending. Waits up to 3 s for attempts under way, then kills programs that still run. */
  const stop = (): Promise<void> => {
    replyReader.stop();
    return notifier.stop().finally(programs.stop);
  };

  const tellUnstored = createUnstored(common);
  return { notifier, tellUnstored, takePostedReply: replyReader.takePosted, configure, tryOut, rename, start, stop };
}

export type AlertSending = ReturnType<typeof createSending>;

type ReplyReaderParts = SendingParts &
  Pick<ReturnType<typeof createNotifier>, "changed" | "silence"> & {
    readonly openAt: (destination: string) => readonly number[];
  };

/** Reads replies to alerts from chats, and takes those that services post to us. */
function createReplyReader(parts: ReplyReaderParts, take: RunningEngine["replies"]["take"]) {
  let destinations: readonly Destination[] = [];
  let channels: ReadonlyMap<string, Channel | undefined> = new Map();
  const takeReply = createTakeReply({ take });
  const hearChats = createPolledReplies({ ...parts, takeReply });
  return {
    configure: (config: Config): void => {
      destinations = [...config.destinations.values()].filter(({ answers }) => answers !== undefined);
      const before = channels;
      channels = new Map(destinations.map(({ name }) => [name, parts.channels.get(name)]));
      for (const [name, channel] of before)
        if (channel !== undefined && !channels.has(name)) parts.silence(name, channel, parts.openAt(name));
    },
    hear: (): void => hearChats(destinations.filter((one) => one.type === "telegram" || one.type === "matrix")),
    stop: (): void => hearChats([]),
    takePosted: createWebhookReplies({ ...parts, takeReply, destinations: () => destinations }),
  };
}

/**
 * Adds what the message needs to offer replies, such as the address for them, if people may reply to it. When the
 * database cannot be read, the alert offers no replies.
 */
function withReplies(delivery: ClaimedDelivery, engine: SendingEngine | null, pages: string | null): ClaimedDelivery {
  const { message, destination } = delivery;
  const replyOptions = isAlert(message) ? orElse(null, () => engine?.replies.replyOptionsFor(delivery)) : null;
  if (replyOptions == null || !isAlert(message)) return delivery;
  const more = pages !== null && { answerUrl: pages + replyPath(destination, replyOptions.token) };
  return { ...delivery, replyOptions, message: { ...message, data: { ...message.data, ...more } } };
}

export type SelfPinging = ReturnType<typeof createSelfPinging>;

export function createSelfPinging({ unwell }: Pick<RunningEngine, "unwell">, reserve: DescriptorReserve, log: Log) {
  let selfPing: SelfPing | null = null;
  let settings = "null";
  const stop = (): void => selfPing?.stop();
  return {
    configure: ({ self }: Config): void => {
      if (JSON.stringify(self) === settings) return;
      settings = JSON.stringify(self);
      stop();
      selfPing = self && createSelfPing({ ...self, failing: unwell, reserve, clock: systemClock, log, after });
      selfPing?.start();
    },
    /** Returns how the pings to another monitoring service arrive; `null` when `[self]` is not set. */
    health: () => selfPing?.health() ?? null,
    stop,
  };
}
