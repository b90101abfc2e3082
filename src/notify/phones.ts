// Messages to phones: short, for a lock screen.

import type { Link, Wording } from "../domain/wording/types.ts";
import { plainText, textOf } from "./chat-layout.ts";
import { cut } from "./chat-shorten.ts";
import { service } from "./service.ts";

/** We leave out a longer address: cut, it would lead elsewhere. */
const whole = (links: readonly Link[], length: number): Link[] => links.filter(({ url }) => url.length <= length);

/** ntfy shows these as an emoji before the title. */
function tagOf({ tone }: Wording, urgency: number): string {
  if (tone === "good") return "white_check_mark";
  if (tone === "neutral") return "information_source";
  return urgency >= 4 ? "rotating_light" : "warning";
}

/** A tap on the notification opens the first link; each link also has a button. */
function ntfyLinks(links: readonly Link[]) {
  const [first] = links;
  if (first === undefined) return {};
  return { click: first.url, actions: links.slice(0, 3).map(({ label, url }) => ({ action: "view", label, url })) };
}

/** ntfy's codes for a topic that is invalid or that this server reserves. */
const TOPIC_REFUSED: readonly unknown[] = [40_009, 40_010];

export const PHONES = {
  /** Without a token the server asks for none. */
  ntfy: service({
    name: "ntfy",
    limits: { digests: 20 },
    // In code units, each at most three bytes: ntfy takes 1,024 bytes of a title.
    title: 300,
    write: ({ topic, token }: { readonly topic: string; readonly token: string | null }, said) => {
      const { words, title, urgency: priority, plain } = said;
      const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
      if (plain) return { headers, body: { topic, message: cut(plainText(words), 600), priority } };
      const message = textOf({ ...words, links: [], facts: [] }, false);
      const links = ntfyLinks(whole(words.links, 500));
      return { headers, body: { topic, priority, title, message, tags: [tagOf(words, priority)], ...links } };
    },
    // ntfy makes a file of a message of 4,096 bytes, which nobody opens, and reads 8,192 bytes of JSON.
    fits: (body) => Buffer.byteLength(body.message) <= 4_000 && Buffer.byteLength(JSON.stringify(body)) <= 8_000,
    took: ({ id }) => typeof id === "string",
    blocked: ({ code }, { status }) =>
      status === 400 && TOPIC_REFUSED.includes(code) ? "the topic is not taken" : null,
  }),
};
