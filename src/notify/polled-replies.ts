// Reads replies to alerts by asking Telegram and Matrix with long polling (R23); each service has a row. Nothing
// outside needs to reach rollcall for this, so it works behind NAT. A reply that is read twice counts once.

import { REPLY_WORDS, TYPED_REPLIES } from "../domain/people/reply.ts";
import { MINUTE, SECOND } from "../domain/time.ts";
import type { SendingParts, Verdict } from "./channel.ts";
import { cutPlainChatText } from "./chat-shorten.ts";
import { bearerHeader } from "./http-service.ts";
import { jsonFieldsIn, jsonObjectsIn, jsonTextOf, type Outgoing, requestDestination, SEND_TIMEOUT } from "./post.ts";
import type { Pressed, TakenReply, TakeReply } from "./replies.ts";

type PolledParts = Pick<SendingParts, "clock" | "log" | "after"> & {
  readonly takeReply: TakeReply;
  /** Called after a reply was accepted, with its incident's id, so that the messages of the incident are edited. */
  readonly changed: (incidentId: number) => void;
};

type PolledChat = Readonly<{ type: "telegram" | "matrix"; name: string; token: string; chat: string; url: string }>;

/**
 * Sends a request to the server of an account (the bot or user by which we read chats) and returns the verdict on the
 * request. `facts` are the fields of the JSON in the response.
 */
type AskServer = (
  asked: Omit<Outgoing, "url"> & { at: string },
  timeoutMs?: number,
) => Promise<Readonly<{ verdict: Verdict; facts: ReturnType<typeof jsonFieldsIn> }>>;

interface PolledReply {
  readonly chats: readonly PolledChat[];
  readonly pressed: Pressed;
  readonly say: (said: TakenReply) => Promise<unknown>;
}

type Polled = Readonly<{ verdict: Verdict; position: string | null; came: readonly PolledReply[] }>;

/**
 * The result of a poll whose response cannot be read. The next poll begins without a position, because from the same
 * position it would fail again.
 */
const UNREADABLE: Polled = { verdict: { verdict: "delivered", answer: "it cannot be read" }, position: null, came: [] };

interface PolledService {
  readonly name: string;
  /**
   * Returns the beginning of the service's addresses for the account that reads this chat, such as
   * `https://api.telegram.org/bot123:abc`.
   */
  readonly at: (chat: PolledChat) => string;
  /**
   * Asks the service for what people wrote or pressed after `position`, which is "" the first time. Returns the replies
   * in it with the next position; the position is `null` when the service did not respond properly.
   */
  readonly poll: (ask: AskServer, own: readonly PolledChat[], position: string) => Promise<Polled>;
  /**
   * Undoes what our polling changed at the service, such as which kinds of updates Telegram hands out. Called when no
   * destination has this account any more.
   */
  readonly leave?: (ask: AskServer, position: string) => Promise<unknown>;
}

/** For this many seconds the service keeps a poll open while no reply comes. */
const POLL = 50;
const POLL_TIMEOUT = POLL * SECOND + SEND_TIMEOUT;

const posting = (at: string, asked: object, more: object = {}) => ({
  at,
  method: "POST",
  headers: { "content-type": "application/json", ...more },
  body: JSON.stringify(asked),
});

const POLLED: Readonly<Record<PolledChat["type"], PolledService>> = {
  /** Telegram itself remembers how far a bot has read. So a first poll also gets replies that came before it. */
  telegram: {
    name: "Telegram",
    at: ({ url, token }) => `${url.replace(/\/$/, "")}/bot${token}`,
    poll: async (ask, own, position) => {
      const asked = { offset: Number(position), limit: 1, timeout: POLL, allowed_updates: ["callback_query"] };
      const { verdict, facts } = await ask(posting("/getUpdates", asked), POLL_TIMEOUT);
      const [update = null] = Array.isArray(facts["result"]) ? facts["result"] : [{}];
      if (update === null) return { verdict, position, came: [] };
      const { update_id: id, callback_query: query } = Object(update);
      if (!Number.isSafeInteger(id)) return { verdict, position: null, came: [] };
      const { id: queryId, data, message } = Object(query);
      const { chat } = Object(message);
      const [letter, token = ""] = String(data).split(":");
      const reply = REPLY_WORDS.find((one) => one[0] === letter);
      const say = ({ said, seen }: TakenReply) => {
        const toast = { callback_query_id: queryId, text: cutPlainChatText(said, 200), show_alert: seen === null };
        return ask(posting("/answerCallbackQuery", toast));
      };
      const names = [String(chat?.id), `@${chat?.username}`];
      const chats = own.filter((one) => names.includes(one.chat.replace(/\/.*$/, "")));
      return { verdict, position: String(id + 1), came: [{ chats, pressed: reply ? { reply, token } : null, say }] };
    },
    // Telegram remembers which kinds of update we asked for. Without this reset, a person who asks it for messages, in
    // order to find a chat's number, would see none.
    leave: (ask, position) =>
      ask(posting("/getUpdates", { offset: Number(position), limit: 1, timeout: 0, allowed_updates: [] })),
  },
  /** The first poll only asks for the present position. What people wrote before this poll does not count. */
  matrix: {
    name: "Matrix",
    at: ({ url }) => `${url.replace(/\/$/, "")}/_matrix/client/v3`,
    poll: async (ask, own, position) => {
      const headers = bearerHeader(own[0]!.token);
      const rooms = position === "" ? [] : own.map(({ chat }) => chat);
      const none = { types: [] };
      const timeline = { types: ["m.room.message", "m.reaction"], limit: 20 };
      const room = { rooms, timeline, state: none, ephemeral: none, account_data: none };
      const filter = JSON.stringify({ room, presence: none, account_data: none });
      const since = position === "" ? { timeout: "0" } : { timeout: String(POLL * SECOND), since: position };
      const asked = { at: `/sync?${new URLSearchParams({ filter, ...since })}`, method: "GET", headers };
      const { verdict, facts } = await ask(asked, POLL_TIMEOUT);
      const { next_batch: next, rooms: heard } = Object(facts);
      if (typeof next !== "string") return { verdict, position: null, came: [] };
      const came = [...new Set(rooms)].flatMap((id) =>
        jsonObjectsIn(Object(Object(Object(heard).join)[id]).timeline?.events).flatMap((event): PolledReply[] => {
          const pressed = pressedIn(event);
          if (pressed === null) return [];
          const say = async ({ said, isKnown, seen }: TakenReply) => {
            if (seen !== null || !isKnown) return;
            const to = String(event["event_id"]);
            const reply = { msgtype: "m.notice", body: said, "m.mentions": {}, "m.relates_to": repliedTo(to) };
            const at = `/rooms/${encodeURIComponent(id)}/send/m.room.message/${Bun.hash(to)}`;
            await ask({ ...posting(at, reply, headers), method: "PUT" });
          };
          return [{ chats: own.filter(({ chat }) => chat === id), pressed, say }];
        }),
      );
      return { verdict, position: next, came };
    },
  },
};

export const repliedTo = (eventId: unknown) => ({ "m.in_reply_to": { event_id: eventId } });

/**
 * Returns the reply that a Matrix event holds: a message with one of our words, or a reaction; `null` if it is neither.
 * An event with a transaction id was sent by ourselves, because only the sender sees that id.
 */
function pressedIn({ type, content, unsigned }: Record<string, unknown>): Pressed {
  const { body, "m.relates_to": relation } = Object(content);
  const { "m.in_reply_to": message, event_id: annotated, key } = Object(relation);
  const isReaction = type === "m.reaction";
  const sentAs = isReaction ? annotated : Object(message).event_id;
  // Some programs repeat the message that is replied to, as lines with `>`, before the reply's own text.
  const word = jsonTextOf(body)
    .replace(/^(?:> .*\n)+\n/, "")
    .trim()
    .toLowerCase();
  const reply = isReaction
    ? /^(?:👍|✅|✔)/u.test(jsonTextOf(key)) && "ack"
    : REPLY_WORDS.find((one) => TYPED_REPLIES[one] === word);
  const isOwn = Object(unsigned).transaction_id !== undefined;
  return reply && !isOwn && typeof sentAs === "string" ? { reply, sentAs } : null;
}

/**
 * Makes the function that polls all accounts, each in one loop. Call it with all chats whenever they change. It never
 * throws.
 */
export function createPolledReplies({ clock, log, after, takeReply, changed }: PolledParts) {
  let chats: readonly PolledChat[] = [];
  const heard = new Set<string>();

  const accountOf = (chat: PolledChat): string => `${POLLED[chat.type].at(chat)} ${chat.token}`;
  const chatsOf = (account: string) => chats.filter((chat) => accountOf(chat) === account);

  const askerAt =
    (url: string): AskServer =>
    async ({ at, ...asked }, timeoutMs = SEND_TIMEOUT) => {
      let facts: ReturnType<typeof jsonFieldsIn> = {};
      const judge = ({ body }: { readonly body: string }) => {
        facts = jsonFieldsIn(body);
        return null;
      };
      const verdict = await requestDestination(
        { ...asked, url: new URL(url + at) },
        { sentAt: clock.now(), timeoutMs, judge },
      );
      return { verdict, facts };
    };

  async function hear(account: string): Promise<void> {
    let [position, failures] = ["", 0];
    const service = POLLED[chatsOf(account)[0]!.type];
    const asker = askerAt(service.at(chatsOf(account)[0]!));
    for (let own = chatsOf(account); own.length > 0; own = chatsOf(account)) {
      const polled = await service.poll(asker, own, position).catch(() => UNREADABLE);
      const { verdict, came } = polled;
      // When the service responds with success but with an unreadable body, the next poll begins without a position.
      // From the same position it would fail again.
      position = polled.position ?? (verdict.verdict === "delivered" ? "" : position);
      failures = polled.position === null ? failures + 1 : 0;
      if (failures === 1) log("warn", "answers_not_heard", { destination: own[0]!.name, answer: verdict.answer });
      for (const { chats: from, pressed, say } of came) {
        const said = takeReply(service.name, from, pressed);
        await say(said).catch(() => {});
        if (said.seen !== null) changed(said.seen.incidentId);
      }
      if (came.length > 0) continue;
      const asksFor = (verdict.verdict === "retry" && verdict.afterMs) || 0;
      const pause = Math.max(asksFor, Math.min(MINUTE, SECOND * 2 ** failures));
      await new Promise<void>((resume) => after(pause, resume));
    }
    await service.leave?.(asker, position).catch(() => {});
    heard.delete(account);
    if (chatsOf(account).length > 0) begin(account);
  }

  function begin(account: string): void {
    heard.add(account);
    void hear(account);
  }

  return (wanted: readonly PolledChat[]): void => {
    chats = wanted;
    for (const account of new Set(chats.map(accountOf)).difference(heard)) begin(account);
  };
}
