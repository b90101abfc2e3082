// `rollcall notify …`: waits for the answer to a test, lists deliveries, and says how sending one again ended.

import { visible } from "../../domain/text.ts";
import { alertTitle } from "../../domain/wording/causes.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import { after } from "../clock.ts";
import { DONE, type Io, REFUSED } from "../io.ts";
import type { Typed } from "../typed.ts";
import { adviceOn } from "./notify-advice.ts";
import type { Presented, Presenter } from "./presenter.ts";
import { age, headIn, minute, moment, shortText, unbroken } from "./spoken.ts";
import { say } from "./table.ts";

type ListedDelivery = WrittenAnswer<"notify show">;
type Resent = WrittenAnswer<"notify resend">;

/** Milliseconds between two looks at the result of a test. */
const LOOK_EVERY = 50;
/** After this time the command says that it is waiting, a second after people begin to wonder. */
const LOOKS_UNTIL_SAID = 20;
/** An attempt takes at most 15 s, and its plain form the same; another may be under way. */
const LOOKS_MAX = 1_200;

/** Exit code 0 when every recipient's test was delivered; 1 when one was not, with the answer and what to do. */
export const notifyTest: Presenter<"notify test"> = {
  kind: "dialogue",
  hold: async ({ answer: { deliveries }, screen, io, ask }) => {
    let worst = DONE;
    const all: ListedDelivery[] = [];
    for (const { id } of deliveries) {
      const ended = await whenEnded(ask, io, id);
      if ("exitCode" in ended) return { ...ended, ended: null };
      if (!tell(io, ended.answer, screen.typed)) worst = REFUSED;
      all.push(ended.answer);
    }
    return { exitCode: worst, ended: all };
  },
};

/** Its result, or the latest state when it took too long. */
async function whenEnded(ask: Presented<"notify test">["ask"], io: Io, id: number) {
  for (let look = 0; ; look++) {
    const answered = await ask("notify show", { id });
    if ("exitCode" in answered || answered.answer.finishedAt !== null || look === LOOKS_MAX) return answered;
    if (look === LOOKS_UNTIL_SAID) io.err(`waiting for an answer of ${addressOf(answered.answer)}`);
    await new Promise<void>((resolve) => after(LOOK_EVERY, resolve));
  }
}

/** Whether it was delivered. */
function tell(io: Io, delivery: ListedDelivery, typed: Typed): boolean {
  const { id, state, answer, recipient } = delivery;
  const address = addressOf(delivery);
  if (state === "sent") {
    io.out(`delivered to ${address}: ${visible(answer ?? "")}`);
    return true;
  }
  if (state !== "given_up") {
    say(io, `no answer of ${address} yet: ${unbroken(typed("notify list"))} shows what becomes of delivery ${id}`);
    return false;
  }
  say(io, `not delivered to ${address}: ${answer ?? "no answer"}`);
  say(io, adviceOn(answer, recipient !== null));
  return false;
}

const addressOf = ({ destination, recipient }: ListedDelivery): string =>
  recipient === null ? destination : `${destination} (${visible(recipient)})`;

/** Newest first. Names failing destinations as well. */
export const notifyList: Presenter<"notify list"> = {
  kind: "list",
  items: ({ deliveries }) => deliveries,
  none: ({ states = null, application = null, monitor = null, sinceSeconds = null }) =>
    [states, application, monitor, sinceSeconds].every((narrower) => narrower === null)
      ? "nothing has been sent yet, and nothing waits"
      : "there are no such deliveries",
  head: (screen) => ["ID", headIn(screen, "CREATED"), "DESTINATION", "WHAT", "STATE", "ATTEMPTS", "ANSWER"],
  rows: ({ deliveries }, screen) => deliveries.map((delivery) => rowOf(delivery, screen)),
  beside: ({ more, failing }, screen) => [
    ...(more.length === 0
      ? []
      : [`there are older ones that ${more.map((state) => OLDER[state]).join(" or ")}; --limit shows more`]),
    ...failing.map(
      ({ destination, answer, since }) =>
        `${destination} has taken no messages since ${moment(since, screen)}: ${answer}`,
    ),
  ],
};

const OLDER = { waiting: "wait", given_up: "were given up", sent: "were sent" } as const;

const ANSWER_SHOWN = 60;

const rowOf = (delivery: ListedDelivery, screen: Screen): string[] => [
  String(delivery.id),
  minute(delivery.createdAt, screen),
  addressOf(delivery),
  whatOf(delivery, screen),
  stateOf(delivery, screen),
  String(delivery.attempts),
  delivery.answer === null ? "-" : shortText(delivery.answer, ANSWER_SHOWN),
];

/** `Trouble began: prod/backup`, `notice unheard`, `test`. */
function whatOf({ type, kind, application, monitorKey }: ListedDelivery, { onlyApplication }: Screen): string {
  const isNotice = type === "service.notice";
  const what = isNotice ? `notice ${kind ?? ""}` : kind === null ? type : alertTitle(kind);
  if (monitorKey === null) return what.trimEnd();
  return `${what}${isNotice ? "" : ":"} ${onlyApplication ? monitorKey : `${application}/${monitorKey}`}`;
}

/** A due delivery waits behind others or because its destination fails; a past instant would mislead. */
function stateOf({ state, nextAttemptAt, finishedAt, digestId }: ListedDelivery, screen: Screen): string {
  const finished = unbroken(finishedAt === null ? "" : age(finishedAt, screen));
  switch (state) {
    case "waiting":
      if (nextAttemptAt === null) return "waits for an earlier one";
      return Date.parse(nextAttemptAt) <= screen.now
        ? "waits for its turn"
        : `waits, next try ${unbroken(age(nextAttemptAt, screen))}`;
    case "under_way":
      return "under way";
    case "sent":
      return `sent ${finished}${digestId === null ? "" : ` in digest ${digestId}`}`;
    case "given_up":
      return `given up ${finished}`;
    default:
      return state satisfies never;
  }
}

export const notifyResend: Presenter<"notify resend"> = {
  kind: "action",
  say: ({ answer, asked: { id = 0 }, io }) => io.out(doneInWords(id, answer)),
};

function doneInWords(id: number, { done, delivery }: Resent): string {
  const address = addressOf(delivery);
  switch (done) {
    case "again":
      return `delivery ${id} goes out again, as ${delivery.id}, to ${address}`;
    case "forward":
      return `delivery ${id} was still waiting: it is tried now, at ${address}`;
    case "behind":
      return `delivery ${id} waits for delivery ${delivery.id}, which is tried now, at ${address}`;
    case "under_way":
      return `delivery ${id} is being sent right now, to ${address}`;
    default:
      return done satisfies never;
  }
}
