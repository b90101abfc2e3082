// Stores the browsers in which people want to be notified. notify/ sends the messages to them.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { testMessage } from "../../domain/message/test-message.ts";
import { type AccountAction, actorOf, type Person } from "../../domain/people/person.ts";
import { BROWSERS } from "../../domain/settings/policy.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import { enqueueTests } from "../../store/deliveries.ts";
import type { BrowserRow } from "../../store/sessions.ts";
import { type EngineTools, thisInstance } from "../engine-context.ts";
import { audit } from "./write-audit.ts";

interface BrowsersParts extends EngineTools {
  readonly plans: { readonly begin: (applicationId: null) => void };
  readonly nudge: (urgent?: string) => void;
}

export type KnownBrowser = BrowserRow;

/** What a browser gives when it subscribes to notifications (Push API). */
export type Subscription = Readonly<{ endpoint: string; keys: Readonly<{ p256dh: string; auth: string }> }>;

const BROWSERS_MAX = 10;
const TEST_AGAIN = 5 * SECOND;

const TOO_MANY = refuse("INVALID_REQUEST", `you have ${BROWSERS_MAX} browsers here; remove one before you add another`);
const NOT_THERE = refuse("NOT_FOUND", "you have no such browser here");
const UNASKED = refuse("INVALID_REQUEST", "no browser can have subscribed: none has asked for our key yet");
const TOO_SOON = refuse("RATE_LIMIT_EXCEEDED", "a test was just sent; try again in 5 seconds");

/** The functions that change something throw when storage fails; then nothing has changed. */
export type Browsers = ReturnType<typeof createBrowsers>;

export function createBrowsers({ context, clock, committer, plans, nudge, log }: BrowsersParts) {
  const { browsers, alerts, liveness, people } = context.store;
  const testedAt = new Map<number, number>();
  const write = (person: Person, address: string, action: AccountAction, browser: string, now: Instant): void =>
    audit(context, actorOf(person, address), { action, about: null, details: { browser } }, now);

  /** Runs a change, then plans messages again, because an alert may go to the people who have a browser. */
  function change<Answer>(run: (now: Instant) => Answer): Answer {
    const answer = committer.one(run);
    plans.begin(null);
    return answer;
  }

  return {
    /** The browsers of a person, the oldest first. */
    of: (person: string): readonly KnownBrowser[] => browsers.ofPerson(person),
    /** Whether the person may see the application now; false when the person no longer exists. */
    maySee: (person: string, application: string): boolean => {
      const found = people.named(person);
      return found !== null && (found.applications?.includes(application) ?? true);
    },
    /**
     * Returns the keys by which push services know this rollcall, as JSON. The first call stores the keys that `make`
     * returns.
     */
    keys: (make: () => string): string =>
      committer.one(() => {
        if (liveness.pushKeys() === null) liveness.keepPushKeys(make());
        return liveness.pushKeys()!;
      }),
    /** Returns the keys that `keys` has stored. Must not be called before a browser has asked for them. */
    knownKeys: () => liveness.pushKeys()!,
    /** Adds a browser. If it is stored already, perhaps for another person, the new entry replaces the stored one. */
    add: (person: Person, { endpoint, keys }: Subscription, agent: string, address: string): Refusal | null =>
      change((now) => {
        if (liveness.pushKeys() === null) return UNASKED;
        const others = browsers.ofPerson(person.name).filter((one) => one.endpoint !== endpoint);
        if (others.length >= BROWSERS_MAX) return TOO_MANY;
        browsers.delete(endpoint);
        browsers.insert({ endpoint, keys: JSON.stringify(keys), personId: person.id, agent, createdAt: now });
        write(person, address, "add browser", agent, now);
        return null;
      }),
    remove: (person: Person, id: number, address: string): Refusal | null =>
      change((now) => {
        const meant = browsers.ofPerson(person.name).find((one) => one.id === id);
        if (meant === undefined) return NOT_THERE;
        browsers.delete(meant.endpoint);
        write(person, address, "remove browser", meant.agent, now);
        return null;
      }),
    /** Sends a test message to all browsers of the person, at once. Returns why it was refused, or `null`. */
    test: ({ id, name }: Person): Refusal | null => {
      const now = clock.monotonic();
      if (now - (testedAt.get(id) ?? Number.NEGATIVE_INFINITY) < TEST_AGAIN) return TOO_SOON;
      testedAt.set(id, now);
      committer.one((at) => {
        const alertId = alerts.insert(null, testMessage(BROWSERS, at, thisInstance(context)));
        enqueueTests(context.deliveries, { alertId, routes: [{ destination: BROWSERS, recipient: name }], at });
      });
      nudge(BROWSERS);
      return null;
    },
    /** Stores when the browser last took a message. */
    noteMessageTaken: ({ id }: KnownBrowser, at: Instant): void => committer.one(() => browsers.setUsed(id, at)),
    /** Removes a browser, because its push service says that it no longer exists. */
    gone: ({ endpoint, agent }: KnownBrowser, person: string): void => {
      change(() => browsers.delete(endpoint));
      log("info", "push_subscription_gone", { person, browser: agent });
    },
  };
}
