// Prints the answers to `rollcall destination …` and `member …`: waits for the result of a test, and says which
// alerts go where.

import { visibleText } from "../../domain/text.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import { alertsOf } from "../../views/rows/destination-rows.ts";
import { DESTINATION_TRIAL } from "../../views/schemas/delivery-schemas.ts";
import { writtenAnswer } from "../../views/schemas/written.ts";
import { DONE, type Io, REFUSED } from "../io.ts";
import { deliveryAdvice, LOOKS_MAX } from "./delivery-screens.ts";
import { type Presented, type Screens, whenEnded } from "./presenter.ts";
import { spokenSentence, unbroken } from "./spoken.ts";
import { say } from "./table.ts";

export const DESTINATION_SCREENS: Screens = {
  "destination add": { hold: (presented) => untilTried(presented, "added") },
  "destination set": { hold: (presented) => untilTried(presented, "changed") },
  "destination rename": ({ answer: { name, newName, waiting }, io }) => {
    const follow =
      waiting === 0 ? "" : `; ${counted(waiting, "message")} that ${waiting === 1 ? "waits" : "wait"} follow`;
    io.out(`renamed destination ${name} to ${newName}${follow}`);
  },
  "destination export": ({ answer: { toml }, io }) => {
    if (toml === "") return say(io, "there are no destinations that commands added");
    io.out(toml.trimEnd());
    say(io, "write each secret into the file named for it, and name the destinations in destinations of [team]");
  },
  "destination list": {
    items: ({ destinations }) => destinations,
    none: (_asked, { typed }) =>
      `there are no destinations, so alerts stand in the log alone; this adds one: ${unbroken(typed("destination add phone ntfy url=https://ntfy.sh topic=TOPIC"))}`,
    rows: ({ destinations, routes }, screen) =>
      destinations.map(({ name, type, settings, from, overruled, turn }) => ({
        DESTINATION: name,
        TYPE: type,
        SETTINGS:
          settings
            .filter(({ key }) => key !== "type")
            .map(({ key, value }) => `${key}=${value ?? "***"}`)
            .join(", ") || "-",
        "SET BY": from ?? "rollcall itself",
        ALERTS:
          overruled === null
            ? [alertsOf(name, routes), spokenSentence(turn, screen)].filter((text) => text !== "").join("; ")
            : `not in force: ${overruled}`,
      })),
  },
  "destination kinds": {
    items: ({ kinds }) => kinds,
    none: () => "there are no types",
    rows: ({ kinds }) =>
      kinds.map(({ type, keys }) => ({
        TYPE: type,
        NEEDS: keysIn(keys.filter(({ needed }) => needed)),
        "MAY HAVE": keysIn(keys.filter(({ needed, hearing }) => !needed && !hearing)),
      })),
    beside: ({ kinds: [first] }) => [
      `each may have ${keysIn(first?.keys.filter(({ hearing }) => hearing) ?? [])} too: which alerts go there, and when`,
    ],
  },
  "destination remove": ({ answer: { name, left, applications }, io }) => {
    io.out(`removed destination ${name}`);
    say(
      io,
      left.length === 0 ? "alerts have nowhere to go by default now" : `alerts go to ${left.join(", ")} by default`,
    );
    for (const { application, left: own } of applications)
      say(io, `alerts of ${application} go ${own.length === 0 ? "nowhere" : `to ${own.join(", ")}`} now`);
  },
  "destination route": ({ answer: { application, monitor, destinations, own }, io }) => {
    const whose = application === null ? "" : ` of ${monitor ?? application}`;
    const how = own && application !== null ? "" : " by default";
    io.out(`alerts${whose} go ${destinations.length === 0 ? "nowhere" : `to ${destinations.join(", ")}`}${how}`);
  },
  "member add": ({ answer: { email, replaced, destinations }, io }) => {
    io.out(`${replaced ? "replaced" : "added"} member ${email}`);
    sayMail(io, destinations);
  },
  "member set": ({ answer: { email, destinations }, io }) => {
    io.out(`changed member ${email}`);
    sayMail(io, destinations);
  },
  "member remove": ({ answer: { email, others, destinations }, io }) => {
    io.out(`removed member ${email}`);
    if (others === 0 && destinations.length > 0) say(io, `nobody gets the mail of ${destinations.join(", ")} now`);
  },
  "member list": {
    items: ({ members }) => members,
    none: (_asked, { typed }) =>
      `there are no members, so mail goes only where a destination names addresses; this adds one: ${unbroken(typed("member add Ada ada@example.org"))}`,
    rows: ({ members }) =>
      members.map(({ name, email, events, answers, from, kept, overruled }) => ({
        MEMBER: visibleText(name),
        MAIL: email,
        EVENTS: events.join(", "),
        "ANSWERS AS": visibleText(answers ?? "-"),
        "SET BY": kept && overruled === null ? "rollcall member add" : (from ?? "-"),
        NOTE: overruled === null ? "-" : `what a command added is not in force: ${overruled}`,
      })),
    leavesOutEmpty: true,
    beside: ({ members, destinations }) => (members.length === 0 ? [] : mailLines(destinations)),
  },
};

const mailLines = (destinations: readonly string[]): string[] => [
  destinations.length === 0
    ? "nobody gets mail yet: no destination sends to members; [smtp] in the configuration, or `rollcall config set --mail`, names the server for that"
    : `they get the mail of ${destinations.join(", ")}`,
];

function sayMail(io: Io, destinations: readonly string[]): void {
  for (const line of mailLines(destinations)) say(io, line);
}

const keysIn = (keys: readonly { readonly key: string }[]): string => keys.map(({ key }) => key).join(", ") || "-";

async function untilTried(
  { answer, asked, io, ask, asJson }: Presented<"destination add" | "destination set">,
  done: "added" | "changed",
): Promise<{ readonly exitCode: number; readonly ended: unknown }> {
  const ended = await whenEnded<Answer<"destination trial">>(
    answer,
    ({ state }) => state === "testing",
    () => ask("destination trial", { id: answer.id }),
    ({ name }, isFirst) => isFirst && io.err(`waiting for an answer of ${name}`),
    LOOKS_MAX,
  );
  if ("exitCode" in ended) return { ...ended, ended: null };
  const application = (asked as { readonly application?: string }).application ?? null;
  if (!asJson) tellTried(ended.answer, { done, application }, io);
  return {
    exitCode: ended.answer.state === "kept" ? DONE : REFUSED,
    ended: writtenAnswer(DESTINATION_TRIAL, ended.answer),
  };
}

function tellTried(
  { name, type, state, answer }: Answer<"destination trial">,
  { done, application }: { readonly done: "added" | "changed"; readonly application: string | null },
  io: Io,
): void {
  if (state === "kept") {
    const isRota = type === "rota";
    const untested = isRota ? "alerts there go to its turns, a week each" : "it was not tested";
    io.out(`${done} destination ${name}: ${answer === null ? untested : `its test arrived (${answer})`}`);
    const instead = isRota ? ", in place of its turns" : "";
    if (done === "added")
      say(io, `alerts${application === null ? "" : ` of ${application}`} go there from now on${instead}`);
    return;
  }
  if (state === "testing") return say(io, `no answer of ${name} yet: \`destination list\` shows whether it is ${done}`);
  if (state === "failed") return say(io, `${name} was not ${done}: the log says why; try again`);
  say(io, `${name} was not ${done}, because its test did not arrive: ${answer}`);
  // The destination was not added, so `destination list` does not show it. The advice mentions that command in
  // brackets, which are removed here.
  say(io, deliveryAdvice(answer, type === "email").replace(/ \(`rollcall destination list`[^)]*\)/, ""));
}
