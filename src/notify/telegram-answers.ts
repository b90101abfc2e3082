// Answers in Telegram (R23): buttons below an alert, heard by long polling, because that works behind NAT. Telegram
// keeps how far a bot has heard, and each answer counts once, so a restart repeats nothing.

import { ANSWER_ACTS } from "../domain/people/answer.ts";
import { MINUTE, SECOND } from "../domain/time.ts";
import type { TakeAnswer } from "./answers.ts";
import type { SendingParts } from "./channel.ts";
import { cut } from "./chat-shorten.ts";
import { factsIn, request, SEND_TIMEOUT } from "./post.ts";

type TelegramParts = Pick<SendingParts, "clock" | "log" | "after"> & {
  readonly takeAnswer: TakeAnswer;
  /** To be called once an answer was taken: the message shows what it was. */
  readonly changed: (incidentId: number) => void;
};

type TelegramChat = Readonly<{ name: string; token: string; chat: string; url: string }>;

/** Seconds for which Telegram holds a question back while there is no answer. */
const POLL = 50;

const JSON_TYPE = { "content-type": "application/json" };

const botOf = ({ url, token }: TelegramChat): string => `${url.replace(/\/$/, "")}/bot${token}`;

/** Hears the bots of the chats that it is given, in place of those before; each in one loop. Never throws. */
export function createTelegramAnswers({ clock, log, after, takeAnswer, changed }: TelegramParts) {
  let chats: readonly TelegramChat[] = [];
  const heard = new Set<string>();

  const chatsOf = (bot: string) => chats.filter((chat) => botOf(chat) === bot);

  async function call(bot: string, method: string, asked: object, timeoutMs = SEND_TIMEOUT) {
    let heardOf = "";
    const judge = ({ body }: { readonly body: string }) => {
      heardOf = body;
      return null;
    };
    const post = { method: "POST", url: new URL(`${bot}/${method}`), headers: JSON_TYPE, body: JSON.stringify(asked) };
    const verdict = await request(post, { sentAt: clock.now(), timeoutMs, judge });
    return { ...verdict, result: factsIn(heardOf)["result"] };
  }

  async function hear(bot: string): Promise<void> {
    let [offset, failures] = [0, 0];
    for (let own = chatsOf(bot); own.length > 0; own = chatsOf(bot)) {
      const asked = { offset, limit: 1, timeout: POLL, allowed_updates: ["callback_query"] };
      const polled = await call(bot, "getUpdates", asked, POLL * SECOND + SEND_TIMEOUT);
      const [update = null] = Array.isArray(polled.result) ? polled.result : [{}];
      const { update_id: id, callback_query: query } = Object(update);
      failures = update === null || Number.isSafeInteger(id) ? 0 : failures + 1;
      if (failures === 1) log("warn", "answers_not_heard", { destination: own[0]!.name, answer: polled.answer });
      if (failures === 0 && update !== null) {
        offset = id + 1;
        await answer(bot, query);
        continue;
      }
      const asksFor = (polled.verdict === "retry" && polled.afterMs) || 0;
      const pause = Math.max(asksFor, Math.min(MINUTE, SECOND * 2 ** failures));
      await new Promise<void>((resume) => after(pause, resume));
    }
    heard.delete(bot);
  }

  async function answer(bot: string, query: unknown): Promise<void> {
    const { id, data, message } = Object(query);
    const { chat } = Object(message);
    const [letter, token = ""] = String(data).split(":");
    const wanted = ANSWER_ACTS.find((one) => one[0] === letter);
    const own = chatsOf(bot).filter((one) => one.chat === String(chat?.id) || one.chat === `@${chat?.username}`);
    const { said, seen } = takeAnswer("Telegram", own, wanted === undefined ? null : { act: wanted, token });
    const toast = { callback_query_id: id, text: cut(said, 200), show_alert: seen === null };
    await call(bot, "answerCallbackQuery", toast);
    if (seen !== null) changed(seen.incidentId);
  }

  return (wanted: readonly TelegramChat[]): void => {
    chats = wanted;
    for (const bot of new Set(chats.map(botOf)).difference(heard)) {
      heard.add(bot);
      void hear(bot);
    }
  };
}
