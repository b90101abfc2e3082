// `rollcall notify …`: tests a destination through the running service and waits for what the receiver says, lists
// deliveries, and sends one again.

import type {
  ListedDeliveries,
  ListedDelivery,
  ResentDeliveryAnswer,
  TestedDestinationAnswer,
} from "../http/management/contract.ts";
import { after } from "./clock.ts";
import { DONE, REFUSED, say } from "./io.ts";
import { adviceOn } from "./notify-advice.ts";
import { askService, type Caller, type Screen } from "./socket-client.ts";
import { age, headIn, minute, moment, shortText, unbroken } from "./spoken.ts";
import { formatTable, visible } from "./table.ts";
import type { Typed } from "./typed.ts";

/** Milliseconds between two looks at what became of a test. */
const LOOK_EVERY = 50;
/** After this time the command says that it waits, a second later than a person begins to wonder. */
const LOOKS_UNTIL_SAID = 20;
/** An attempt takes 15 s at most, and its plain form as long again; another may be under way. */
const LOOKS_MAX = 1_200;

/** Exit code 0 when every recipient's test was delivered; 1 when one was not, with the answer and what to do. */
export async function runNotifyTest(caller: Caller, destination: string): Promise<number> {
  const answer = await askService<TestedDestinationAnswer>(caller, {
    method: "POST",
    path: "/deliveries/test",
    body: { destination },
  });
  if ("exitCode" in answer) return answer.exitCode;
  let worst = DONE;
  const { typed } = answer.screen;
  for (const { id } of answer.body.deliveries) {
    const ended = await whenEnded(caller, id);
    if ("exitCode" in ended) return ended.exitCode;
    if (!tell(caller, ended.body, typed)) worst = REFUSED;
  }
  return worst;
}

/** What became of it, or what is known of it when it took too long. */
async function whenEnded(caller: Caller, id: number) {
  for (let look = 0; ; look++) {
    const answer = await askService<ListedDelivery>(caller, { method: "GET", path: `/deliveries/${id}` });
    if ("exitCode" in answer || answer.body.finishedAt !== null || look === LOOKS_MAX) return answer;
    if (look === LOOKS_UNTIL_SAID) caller.io.err(`waiting for an answer of ${addressOf(answer.body)}`);
    await new Promise<void>((resolve) => after(LOOK_EVERY, resolve));
  }
}

/** Whether it was delivered. */
function tell({ io }: Caller, delivery: ListedDelivery, typed: Typed): boolean {
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

export interface DeliveryFilter {
  /** Null: of all applications, and what concerns no application. */
  readonly application: string | null;
  /** Null: all. */
  readonly states: readonly string[] | null;
  /** Of each state; null: as many as the service shows by itself. */
  readonly limit: number | null;
}

/** Newest first. An empty list, one that leaves out older ones and destinations that fail are said on stderr. */
export async function runNotifyList(caller: Caller, filter: DeliveryFilter, asJson: boolean): Promise<number> {
  const query = new URLSearchParams();
  if (filter.states !== null) query.set("states", filter.states.join(","));
  if (filter.application !== null) query.set("application", filter.application);
  if (filter.limit !== null) query.set("limit", String(filter.limit));
  const answer = await askService<ListedDeliveries>(caller, { method: "GET", path: `/deliveries?${query}` });
  if ("exitCode" in answer) return answer.exitCode;
  const { deliveries, more, failing } = answer.body;
  const { screen } = answer;
  const { io } = caller;
  if (asJson) io.out(JSON.stringify(deliveries, null, 2));
  else if (deliveries.length === 0) say(io, nothingListed(filter));
  else {
    const head = ["ID", headIn(screen, "CREATED"), "DESTINATION", "WHAT", "STATE", "ATTEMPTS", "ANSWER"];
    const rows = deliveries.map((delivery) => rowOf(delivery, screen));
    for (const line of formatTable(head, rows, screen.width)) io.out(line);
  }
  if (more.length > 0)
    say(io, `there are older ones that ${more.map((state) => OLDER[state]).join(" or ")}; --limit shows more`);
  for (const { destination, answer: said, since } of failing)
    say(io, `${destination} has taken no messages since ${moment(since, screen)}: ${said}`);
  return DONE;
}

const nothingListed = ({ states, application }: DeliveryFilter): string =>
  states === null && application === null
    ? "nothing has been sent yet, and nothing waits"
    : "there are no such deliveries";

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

/** `InitialFailure prod/backup`, `notice unheard`, `test`. */
function whatOf({ type, kind, application, monitorKey }: ListedDelivery, { onlyApplication }: Screen): string {
  const what = type === "service.notice" ? `notice ${kind ?? ""}` : (kind ?? type);
  if (monitorKey === null) return what.trimEnd();
  return `${what} ${onlyApplication ? monitorKey : `${application}/${monitorKey}`}`;
}

/** One that is due waits behind others, or because its destination fails: no instant is known, and one that is over misleads. */
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

/** Exit code 0, also when it waits still and is tried now; 1 when there is none, or nowhere to send it any more. */
export async function runNotifyResend(caller: Caller, id: number): Promise<number> {
  const answer = await askService<ResentDeliveryAnswer>(caller, { method: "POST", path: `/deliveries/${id}/resend` });
  if ("exitCode" in answer) return answer.exitCode;
  caller.io.out(doneInWords(id, answer.body));
  return DONE;
}

function doneInWords(id: number, { done, delivery }: ResentDeliveryAnswer): string {
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
