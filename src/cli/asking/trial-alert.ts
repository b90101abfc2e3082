// The last step of `rollcall setup`: a trial job reports a failure over HTTP, and its alert goes to the new
// destination. A person says whether it arrived; then all that was made for the trial is removed.

import * as prompts from "@clack/prompts";
import type { Answer } from "../../engine/operations/operations.ts";
import { DONE, REFUSED } from "../io.ts";
import { whenEnded } from "../screens/presenter.ts";
import { say } from "../screens/table.ts";
import { NO_ADDRESS } from "../serving/first-keys.ts";
import { askService, type SocketCaller } from "./ask-service.ts";

export interface Trial {
  /** The name of the destination; setup names it after its type. */
  readonly destination: string;
  readonly settings: readonly string[];
}

const MONITOR = "setup-trial";

const MONITOR_NAME = "Setup trial";

const REASON = "A trial by rollcall setup: nothing is wrong";

/** How many milliseconds a report may take. */
const REPORT_TIMEOUT = 5_000;

/**
 * How often we look at the delivery, with 50 ms in between: for 30 s in all, because a receiver that cannot be reached
 * fails after 15 s.
 */
const LOOKS_MAX = 600;

export async function tryAlert(trial: Trial, caller: SocketCaller): Promise<number> {
  const found = await askService(caller, "config addresses", {});
  if ("exitCode" in found) return found.exitCode;
  const address = found.answer.here ?? found.answer.elsewhere;
  if (address === null) {
    say(caller.io, `no job could try an alert: ${NO_ADDRESS}`);
    return REFUSED;
  }
  const made = await makeTrialKey({ scope: "ping", label: MONITOR }, caller);
  if ("exitCode" in made) return made.exitCode;
  const { application } = made;
  const job = { application, url: `${address}/api/v1/ping/${MONITOR}/${made.answer.key}` };
  try {
    return await failAndRecover(job, trial, caller);
  } finally {
    await askService(quiet(caller), "monitor delete", { application, key: MONITOR });
    await askService(quiet(caller), "key revoke", { id: made.answer.id });
  }
}

/** Makes an API key for the first application, and returns the key and that application. */
export async function makeTrialKey(more: { readonly scope?: "ping"; readonly label?: string }, caller: SocketCaller) {
  const apps = await askService(caller, "app list", {});
  if ("exitCode" in apps) return apps;
  const application = apps.answer.applications[0]?.slug ?? "";
  const made = await askService(caller, "key create", { application, ...more });
  return "exitCode" in made ? made : { ...made, application };
}

type TrialJob = Readonly<{ application: string; url: string }>;

async function failAndRecover(job: TrialJob, trial: Trial, caller: SocketCaller): Promise<number> {
  const { io } = caller;
  const why = await report(`${job.url}/fail?every=25h&message=${encodeURIComponent(REASON)}`);
  if (why !== null) {
    say(io, `the trial's report was not taken at ${new URL(job.url).origin}: ${why}`);
    return REFUSED;
  }
  const alert = await sent(job, trial.destination, 1, caller);
  if ("exitCode" in alert) return alert.exitCode;
  const { answer: delivery } = alert;
  if (delivery?.state !== "sent") {
    const waits =
      delivery === null ? "no alert goes there" : `it was not taken yet (${delivery.answer ?? "no answer"})`;
    say(io, `an alert was tried at ${trial.destination}: ${waits}`);
    say(io, `\`rollcall notify explain ${MONITOR}\` says who hears of a job, and why`);
    return REFUSED;
  }
  io.out(`sent the alert "Failed: ${MONITOR_NAME}" to ${trial.destination}, which took it (${delivery.answer})`);
  const arrived = io.input.isTerminal ? await prompts.confirm({ message: "Did it arrive, where you look?" }) : null;
  if ((await report(job.url)) === null) await sent(job, trial.destination, 2, caller);
  if (arrived === true) {
    io.out("Alerts arrive. The trial is over: a message says that it has recovered.");
    return DONE;
  }
  for (const line of whereToLook(trial)) say(io, line);
  return arrived === null ? DONE : REFUSED;
}

/** Sends a report. Returns `null` when it was accepted, otherwise the reason why not. */
async function report(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "error",
      signal: AbortSignal.timeout(REPORT_TIMEOUT),
    });
    return response.ok ? null : `HTTP ${response.status}, ${(await response.text()).slice(0, 200)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type Delivery = Answer<"notify list">["deliveries"][number];

/**
 * Waits up to 30 s until the trial has `count` deliveries and the newest one has ended. Returns the newest one; `null`
 * when there are fewer.
 */
async function sent({ application }: TrialJob, destination: string, count: number, caller: SocketCaller) {
  const ask = () => askService(caller, "notify list", { application, monitor: MONITOR });
  const first = await ask();
  if ("exitCode" in first) return first;
  const newest = ({ deliveries }: Answer<"notify list">): Delivery | null => {
    const own = deliveries.filter((each) => each.destination === destination);
    return own.length < count ? null : (own.toSorted((a, b) => b.id - a.id)[0] ?? null);
  };
  const ended = await whenEnded(
    first.answer,
    (answer) => newest(answer)?.finishedAt == null,
    ask,
    (_now, isFirst) => isFirst && caller.io.err(`waiting for an answer of ${destination}`),
    LOOKS_MAX,
  );
  return "exitCode" in ended ? ended : { answer: newest(ended.answer) };
}

function whereToLook(trial: Trial): string[] {
  const { destination } = trial;
  const [topic, to] = [trialSetting(trial, "topic"), trialSetting(trial, "to")];
  const own =
    topic !== null
      ? [
          `look into the ${destination} app: it must be subscribed to ${topic}, letter by letter, at ${trialSetting(trial, "url")}`,
          "look at the phone: it must allow the app notifications, and let it run in the background",
        ]
      : to !== null
        ? [`look into the folder for spam of ${to}: the mail server took the message`]
        : [`look where ${destination} shows messages: its server took this one`];
  return [...own, "`rollcall notify list` shows what the receiver answered, and `rollcall notify test` sends one more"];
}

export const trialSetting = ({ settings }: Trial, key: string): string | null =>
  settings.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1) ?? null;

/**
 * Returns a caller that prints nothing. It is used to remove what was made for the trial, where messages would only
 * confuse.
 */
const quiet = (caller: SocketCaller): SocketCaller => ({
  ...caller,
  io: { ...caller.io, err: () => {}, out: () => {} },
});
