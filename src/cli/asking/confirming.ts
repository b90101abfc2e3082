// What a person at a terminal is told and asked before a command that cannot be undone. A script is not asked: without
// a terminal the command goes ahead, as it always has.

import { visible } from "../../domain/text.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Input, OperationName, WrittenAnswer } from "../../engine/operations/operations.ts";
import { agrees } from "../command-shell.ts";
import { REFUSED } from "../io.ts";
import { addressQuestion } from "../screens/address-screens.ts";
import { revokeQuestion } from "../screens/admin-key-screens.ts";
import { usedInWords } from "../screens/key-screens.ts";
import { type Ask, askService, type Screen, type ServiceAnswered, type SocketCaller } from "./ask-service.ts";

/** The question; or the exit code, after we have said why there is nothing to ask. */
type Question = string | { readonly exitCode: number };

type Questions = { readonly [Name in OperationName]?: (asked: Partial<Input<Name>>, ask: Ask) => Promise<Question> };

const QUESTIONS: Questions = {
  "app delete": async ({ slug = "" }, ask) => {
    const listed = await ask("app list", {});
    if ("exitCode" in listed) return listed;
    const found = listed.answer.applications.find((one) => one.slug === slug);
    // The service says best what is wrong.
    return found === undefined ? "" : applicationQuestion(found);
  },
  "address revoke": async ({ id }, ask) => {
    const listed = await ask("address list", {});
    if ("exitCode" in listed) return listed;
    const found = listed.answer.addresses.find((one) => one.id === id && one.revokedAt === null);
    return found === undefined ? "" : addressQuestion(found, listed.screen);
  },
  "admin-key revoke": async ({ id }, ask) => {
    const listed = await ask("admin-key list", {});
    if ("exitCode" in listed) return listed;
    const found = listed.answer.keys.find((one) => one.id === id && one.revokedAt === null);
    return found === undefined ? "" : revokeQuestion(found, listed.screen);
  },
  "key revoke": async ({ id = 0 }, ask) => question(await ask("key show", { id }), keyQuestion),
  "monitor delete": async (asked, ask) => question(await ask("monitor show", asked), monitorQuestion),
  "user delete": async ({ name = "" }) => `Delete ${name}, and sign them out everywhere?`,
};

/** Null: go ahead. */
export async function unconfirmed<Name extends OperationName>(
  caller: SocketCaller,
  name: Name,
  asked: Partial<Input<Name>>,
): Promise<number | null> {
  const questionOf = QUESTIONS[name] as Questions[Name] &
    ((asked: Partial<Input<Name>>, ask: Ask) => Promise<Question>);
  if (!caller.io.secret.isTerminal || questionOf === undefined) return null;
  const asking = await questionOf(asked, (other, given) => askService(caller, other, given));
  if (typeof asking !== "string") return asking.exitCode;
  return asking === "" || (await agrees(caller.io, asking)) ? null : REFUSED;
}

function question<Name extends OperationName>(
  answered: ServiceAnswered<Name>,
  words: (answer: WrittenAnswer<Name>, screen: Screen) => string,
): Question {
  return "exitCode" in answered ? answered : words(answered.answer, answered.screen);
}

const applicationQuestion = ({ slug, monitors }: WrittenAnswer<"app list">["applications"][number]): string =>
  `Delete application ${slug} with ${counted(monitors, "monitor")}? All of its keys stop at once: jobs that still report ` +
  "with them are refused. Open incidents are closed, and the recovery told. The history goes after 7 days.";

function keyQuestion(key: WrittenAnswer<"key show">, screen: Screen): string {
  const label = key.label === null ? "" : ` "${visible(key.label)}"`;
  return `Revoke key ${key.id}${label} of application ${key.application} for good? ${usedInWords(key, screen)}`;
}

function monitorQuestion({ application, key, incident }: WrittenAnswer<"monitor show">, screen: Screen): string {
  const name = visible(screen.onlyApplication ? key : `${application}/${key}`);
  const closes = incident === null ? "" : ` Incident ${incident.id} is closed, and the recovery told.`;
  return `Delete monitor ${name}?${closes} Its history goes after 7 days; until then \`monitor undelete\` brings it back.`;
}
