// The operations on destinations, and on the lists of destinations that say where the alerts of a monitor, a label or
// an application go, and where all others go. What these operations add is stored beside the configuration file (R31,
// R37).

import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { type TestMessage, testMessage } from "../../domain/message/test-message.ts";
import { makeRouteSection, routeSectionName } from "../../domain/settings/kept.ts";
import { turnInWords } from "../../domain/wording/hearing-words.ts";
import { wordedAt } from "../../domain/wording/now.ts";
import { findListed, findOwner } from "../../views/find-named.ts";
import {
  DESTINATION_KINDS,
  DESTINATION_TRIAL,
  EXPORTED_DESTINATIONS,
  REMOVED_DESTINATION,
  RENAMED_DESTINATION,
  ROUTED,
  SHOWN_DESTINATIONS,
} from "../../views/schemas/delivery-schemas.ts";
import { thisInstance } from "../engine-context.ts";
import type { DestinationTrial, ShownRoute, WantedDestination } from "../engine-settings.ts";
import {
  addedDestination,
  changedDestination,
  exportedDestinations,
  removeDestination,
  renameDestination,
  shownRoutes,
} from "../settings/destinations.ts";
import { readGivenSettings } from "../settings/given-settings.ts";
import { unknownDestination } from "./delivery-operations.ts";
import { flag, optionalText, rowNumber, secretWords, text, wordsField } from "./fields.ts";
import { acts, looks, type Operated, type OperationContext, withoutAfterCommit } from "./operation.ts";

const ONE_KEPT = { name: text({ description: "its name, as `destination list` shows it", argument: "name" }) };

const UNTESTED = flag({ description: "keep it without a test", option: "untested" });

export const DESTINATION_OPERATIONS = {
  "destination add": acts({
    summary: "add a destination for alerts, once a test message has arrived there",
    notes: `\`destination kinds\` lists the types and the keys of each, which are those of
the configuration's [destinations]. A list has commas between its values.
KEY=- reads the value from the input, so that no history of a shell shows it,
and KEY_file=PATH names a file that holds it.

Every alert goes there from then on, but those of monitors and applications
that have destinations of their own. With --for only those of one application
do, and no longer where all others go. One of this name that a command added
is replaced; one that the configuration names is not: the file wins.

It is kept in the database, and so in every backup, with its secrets. No
command shows them again.`,
    examples: [
      "phone ntfy url=https://ntfy.sh topic=cron-3f9c2a7b",
      "chat slack url=-",
      "office email to=ada@example.org --for web",
      "oncall rota turns=ada,grace since=2026-11-30T09:00",
    ],
    input: {
      name: text({
        description: "what it is called: lowercase letters, digits and hyphens",
        argument: "name",
        form: { label: "Name", help: "What it is called: lowercase letters, digits and hyphens." },
      }),
      type: text({ description: "how it sends, such as ntfy, slack or webhook", argument: "type" }),
      settings: secretWords({ description: "what it needs, as KEY=VALUE", argument: "k=v" }),
      application: optionalText({
        description: "only for the alerts of this application (default: for all)",
        option: "for",
        value: "slug",
        form: { label: "Alerts of", help: null },
      }),
      untested: UNTESTED,
    },
    answer: DESTINATION_TRIAL,
    role: "admin",
    inAudit: "added a destination",
    run: (context, { name, type, settings, application, untested }, now, by, noteDone) => {
      const found = findListed(context, application);
      const read = isRefusal(found) ? found : readGivenSettings(settings, by);
      if (isRefusal(read)) return withoutAfterCommit(read);
      const wanted = addedDestination(context, { name, settings: { type, ...read }, application });
      const test = untested ? null : testMessage(name, now, thisInstance(context));
      return tried(context, wanted, test, noteDone);
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
    inAudit: "changed a destination",
    run: (context, { name, settings, untested }, now, by, noteDone) => {
      const read = readGivenSettings(settings, by);
      if (isRefusal(read)) return withoutAfterCommit(read);
      if (settings.length === 0)
        return withoutAfterCommit(refuseField("settings", "none is given, so nothing would change"));
      const wanted = changedDestination(context, { name, given: read, onHost: by.kind === "system" });
      const test = untested ? null : testMessage(name, now, thisInstance(context));
      return tried(context, wanted, test, noteDone);
    },
  }),
  "destination rename": acts({
    summary: "rename a destination that a command added: what waits for it and what names it follow",
    notes: `While a message is being sent there it is refused: give it again. Messages that
have gone there, and alerts in the past, keep the old name.`,
    examples: ["phone ada-phone"],
    input: {
      ...ONE_KEPT,
      newName: text({
        description: "its new name: lowercase letters, digits and hyphens",
        argument: "new-name",
        form: { label: "New name", help: "What waits for it follows." },
      }),
    },
    answer: RENAMED_DESTINATION,
    role: "admin",
    inAudit: "renamed a destination",
    run: (context, { name, newName }) => withoutAfterCommit(renameDestination(context, name, newName)),
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
    run: (context, { name }) => {
      const toml = exportedDestinations(context, name);
      return isRefusal(toml) ? toml : { toml };
    },
  }),
  "destination route": acts({
    summary: "say which destinations get the alerts of an application, of a monitor, or all others",
    notes: `With --app those of this application go there, with --monitor those of one
monitor, and no longer where all others go; without a name they go there again.
Without both it says which of those that commands added get alerts by default,
beside those that the configuration names. A list that stands in the
configuration is changed there: the file wins.`,
    examples: ["--app web phone email", "--app web", "--monitor backup phone", "phone"],
    input: {
      destinations: wordsField(50, {
        description: "names, as `destination list` shows them",
        argument: "name",
        form: { help: null, as: "choices" },
      }),
      application: optionalText({ description: "the application's slug", option: "app", value: "slug" }),
      monitor: optionalText({ description: "the key of a monitor", option: "monitor", value: "key" }),
    },
    answer: ROUTED,
    role: "admin",
    inAudit: "said where alerts go",
    run: (context, { destinations: given, application: named, monitor }) => {
      const { destinations, kept, policy } = context;
      const isFree = monitor !== null && named === null;
      const found = isFree ? findOwner(context, { application: null, key: monitor }) : findListed(context, named);
      if (isRefusal(found)) return withoutAfterCommit(found);
      const application = found?.slug ?? null;
      const names = [...new Set(given)];
      // The team's list must not be empty: an empty variable in a script would otherwise stop all alerts.
      if (application === null && names.length === 0)
        return withoutAfterCommit(refuseField("destinations", "none is named, so nobody would get alerts by default"));
      const known = destinations.list().map(({ name }) => name);
      const unknown = names.find((name) => !known.includes(name));
      if (unknown !== undefined) return withoutAfterCommit(unknownDestination(known, unknown));
      const name = routeSectionName(application, monitor);
      if (application === null || names.length > 0) {
        const refused = kept.change({ save: [makeRouteSection(name, names)] });
        return withoutAfterCommit(refused ?? { application, monitor, destinations: names, own: true });
      }
      const problem = `the alerts of ${JSON.stringify(monitor ?? application)} go where all others go already`;
      const missing = refuseField("application", problem, "NOT_FOUND");
      const routes = shownRoutes(policy, kept);
      const isNext = (one: ShownRoute): boolean => one.application === application && one.monitor === null;
      const next = (monitor === null ? undefined : routes.find(isNext)) ?? routes[0];
      return withoutAfterCommit(
        kept.remove(name, missing) ?? { application, monitor, destinations: next?.destinations ?? [], own: false },
      );
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
      destinations.find(id) ?? refuseField("id", `there is no trial ${id}, or it was long ago`, "NOT_FOUND"),
  }),
  "destination list": looks({
    summary: "list destinations: where each sends, what set it up, and which alerts it gets",
    examples: ["", "--json"],
    input: {},
    answer: SHOWN_DESTINATIONS,
    role: "admin",
    run: ({ destinations, kept, policy }, _asked, now) => ({
      destinations: destinations
        .list()
        .map((one) => ({ ...one, turn: wordedAt(turnInWords(policy, one.name, now), now, policy.timezone) })),
      routes: shownRoutes(policy, kept),
    }),
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
    run: (context, { name }) => {
      const without = shownRoutes(context.policy, context.kept).map(({ destinations: names, ...route }) => ({
        ...route,
        had: names.includes(name),
        left: names.filter((other) => other !== name),
      }));
      const left = without[0]?.left ?? [];
      const applications = without.flatMap(({ application, monitor, had, left: own }) =>
        application === null || monitor !== null || !had ? [] : [{ application, left: own.length > 0 ? own : left }],
      );
      return withoutAfterCommit(removeDestination(context, name) ?? { name, left, applications });
    },
  }),
};

/**
 * Begins to test a destination and answers at once. The destination is stored when the test has arrived; without a
 * test, and if it is a rota, it is stored now.
 */
function tried(
  context: OperationContext,
  wanted: WantedDestination | Refusal,
  test: TestMessage | null,
  noteDone: () => void,
): Operated<DestinationTrial | Refusal> {
  if (isRefusal(wanted)) return withoutAfterCommit(wanted);
  const added = context.destinations.add(wanted, test, noteDone);
  if (isRefusal(added)) return withoutAfterCommit(added);
  const { trial, begin } = added;
  return { ...withoutAfterCommit(trial), notesItself: true, ...(begin && { begins: begin }) };
}
