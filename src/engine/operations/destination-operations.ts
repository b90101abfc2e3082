// The operations on destinations that are kept beside the configuration (R31, R37).

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { testMessage } from "../../domain/message/test-message.ts";
import type { Actor } from "../../domain/people/person.ts";
import type { Instant } from "../../domain/time.ts";
import {
  DESTINATION_KINDS,
  DESTINATION_TRIAL,
  EXPORTED_DESTINATIONS,
  REMOVED_DESTINATION,
  RENAMED_DESTINATION,
  SHOWN_DESTINATIONS,
} from "../../views/answers/deliveries.ts";
import { instanceOf } from "../context.ts";
import type { DestinationTrial, WantedDestination } from "../reloads.ts";
import { flag, optionalText, rowNumber, secretWords, text } from "./fields.ts";
import { acts, looks, type Operated, type OperationContext, unchanged } from "./operation.ts";

/** Who may write files on the host has an account there. */
const FILE_FROM_AFAR = "only the command on rollcall's own host may name a file; give the value itself";

const ONE_KEPT = { name: text({ description: "its name, as `destination list` shows it", argument: "name" }) };

const UNTESTED = flag({ description: "keep it without a test", option: "untested" });

export const DESTINATION_OPERATIONS = {
  "destination add": acts({
    summary: "add a destination for alerts, once a test message has arrived there",
    notes: `\`destination kinds\` lists the types and the keys of each, which are those of
the configuration's [destinations]. A list has commas between its values.
KEY=- reads the value from the input, so that no history of a shell shows it,
and KEY_file=PATH names a file that holds it.

Every alert goes there from then on, unless the configuration sends those of
its monitor or application elsewhere. One of this name that a command added
is replaced; one that the configuration names is not: the file wins.

It is kept in the database, and so in every backup, with its secrets. No
command shows them again.`,
    examples: [
      "phone ntfy url=https://ntfy.sh topic=cron-3f9c2a7b",
      "chat slack url=-",
      "office email to=ada@example.org,ben@example.org",
    ],
    input: {
      name: text({ description: "what it is called: lowercase letters, digits and hyphens", argument: "name" }),
      type: text({ description: "how it sends, such as ntfy, slack or webhook", argument: "type" }),
      settings: secretWords({ description: "what it needs, as KEY=VALUE", argument: "k=v" }),
      untested: UNTESTED,
    },
    answer: DESTINATION_TRIAL,
    role: "admin",
    inAudit: "began to add a destination",
    run: (context, { name, type, settings, untested }, now, by) => {
      const read = readSettings(settings, by);
      return isRefusal(read) ? unchanged(read) : tried(context, { name, settings: { type, ...read } }, untested, now);
    },
  }),
  "destination set": acts({
    summary: "change settings of a destination that a command added, once a test has arrived there",
    notes: `What is not named stays, secrets too. KEY= takes back one that may be left out.
KEY=- and KEY_file=PATH are as for \`destination add\`. Where the command is not
given on rollcall's own host, another url needs the secrets again.`,
    examples: ["phone topic=cron-81d0c6e2", "chat url=-", "office to=ada@example.org"],
    input: {
      ...ONE_KEPT,
      settings: secretWords({ description: "what changes, as KEY=VALUE", argument: "k=v" }),
      untested: UNTESTED,
    },
    answer: DESTINATION_TRIAL,
    role: "admin",
    inAudit: "began to change a destination",
    run: (context, { name, settings, untested }, now, by) => {
      const read = readSettings(settings, by);
      if (isRefusal(read)) return unchanged(read);
      if (settings.length === 0)
        return unchanged(refuse("INVALID_REQUEST", "settings: none is given, so nothing would change"));
      const wanted = context.destinations.changed(name, read, by.kind === "system");
      return isRefusal(wanted) ? unchanged(wanted) : tried(context, wanted, untested, now);
    },
  }),
  "destination rename": acts({
    summary: "rename a destination that a command added: what waits for it and what names it follow",
    notes: `While a message is being sent there it is refused: give it again. Messages that
have gone there, and alerts in the past, keep the old name.`,
    examples: ["phone ada-phone"],
    input: {
      ...ONE_KEPT,
      newName: text({ description: "its new name: lowercase letters, digits and hyphens", argument: "new-name" }),
    },
    answer: RENAMED_DESTINATION,
    role: "admin",
    inAudit: "renamed a destination",
    run: ({ destinations }, { name, newName }) => unchanged(destinations.rename(name, newName)),
  }),
  "destination export": looks({
    summary: "print destinations that commands added as the configuration file would have them",
    notes: `A secret is never shown: the file names a file for each, which you write. A
name that stands in the configuration is the file's from the next reload on;
\`destination remove\` then takes away what a command added.`,
    examples: ["", "phone >> /etc/rollcall/rollcall.toml"],
    input: {
      name: optionalText({ description: "one of them (default: all that commands added)", argument: "name" }),
    },
    answer: EXPORTED_DESTINATIONS,
    role: "admin",
    run: ({ destinations }, { name }) => {
      const toml = destinations.toml(name);
      return isRefusal(toml) ? toml : { toml };
    },
  }),
  "destination trial": looks({
    summary: "show how far the test of a new destination is",
    noCommand: "`destination add` asks it until the test has ended",
    examples: [],
    input: { id: rowNumber({ description: "the number that `destination add` answered" }) },
    answer: DESTINATION_TRIAL,
    role: "admin",
    run: ({ destinations }, { id }) =>
      destinations.find(id) ?? refuse("NOT_FOUND", `id: there is no trial ${id}, or it was long ago`),
  }),
  "destination list": looks({
    summary: "list destinations: where each sends, what set it up, and which get alerts by default",
    examples: ["", "--json"],
    input: {},
    answer: SHOWN_DESTINATIONS,
    role: "admin",
    run: ({ destinations }) => ({ destinations: destinations.list() }),
  }),
  "destination kinds": looks({
    summary: "list the types of destinations, and what each needs",
    examples: [""],
    input: {},
    answer: DESTINATION_KINDS,
    role: "admin",
    run: ({ destinations }) => ({ kinds: destinations.kinds() }),
  }),
  "destination remove": acts({
    summary: "remove a destination that a command added; what waits for it is given up",
    examples: ["phone", "phone --yes"],
    input: ONE_KEPT,
    answer: REMOVED_DESTINATION,
    role: "admin",
    confirm: true,
    inAudit: "removed a destination",
    run: ({ destinations, policy }, { name }) => {
      const refused = destinations.remove(name);
      const left = (policy.team.destinations ?? []).filter((other) => other !== name);
      return unchanged(refused ?? { name, left });
    },
  }),
};

/** It has only begun when it is answered. */
function tried(
  context: OperationContext,
  wanted: WantedDestination,
  untested: boolean,
  now: Instant,
): Operated<DestinationTrial | Refusal> {
  const test = untested ? null : testMessage(wanted.name, now, instanceOf(context));
  const added = context.destinations.add(wanted, test);
  if (isRefusal(added)) return unchanged(added);
  const { trial, begin } = added;
  return { ...unchanged(trial), ...(begin && { begins: begin }) };
}

/** `KEY=VALUE` words. A refusal does not repeat what may be a secret. */
function readSettings(words: readonly string[], by: Actor): Record<string, string> | Refusal {
  const wrong = (what: string): Refusal => refuse("INVALID_REQUEST", `settings: ${what}`);
  const settings: Record<string, string> = {};
  for (const [place, word] of words.entries()) {
    const [, key, value = ""] = /^([a-z_]+)=(.*)$/s.exec(word) ?? [];
    if (key === undefined) return wrong(`the ${place + 1}. is not KEY=VALUE, such as url=https://ntfy.sh`);
    if (key === "type") return wrong("type is none of them: `destination add` has it behind the name");
    if (Object.hasOwn(settings, key)) return wrong(`${key} is given twice`);
    if (key.endsWith("_file") && by.kind !== "system") return wrong(`${key}: ${FILE_FROM_AFAR}`);
    settings[key] = value;
  }
  return settings;
}
