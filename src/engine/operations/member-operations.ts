// The operations on members of the team, who get alerts by mail. Members that operations add are stored beside the
// configuration file (R31, R38).

import { type Refusal, refuseField } from "../../domain/errors.ts";
import { type KeptSection, memberSectionName } from "../../domain/settings/kept.ts";
import { CHANGED_MEMBER, MEMBERS } from "../../views/schemas/delivery-schemas.ts";
import { optionalText, text, wordsField } from "./fields.ts";
import { acts, looks, type OperationContext, withoutAfterCommit } from "./operation.ts";

const ONE_MEMBER = { email: text({ description: "the mail address, as `member list` shows it", argument: "mail" }) };

const EVENTS = wordsField(4, {
  description: "what they get mail of: InitialFailure, NeverExecuted, ContinuedFailure, Recovered",
  argument: "on",
  form: { label: "Mail of", help: null, as: "choices", needed: true },
});

const ANSWERS = optionalText({
  description: "as which person of the dashboard they answer mail of alerts",
  option: "answers",
  value: "person",
  form: { label: "Answers mail as this person of the dashboard", help: null },
});

export const MEMBER_OPERATIONS = {
  "member add": acts({
    summary: "add a member of the team, who gets the mail of destinations that name nobody",
    notes: `Without events they get mail of all. It goes out once [smtp] stands in the
configuration, and where \`destination list\` says. One of this address that a
command added is replaced; one in the configuration is not: the file wins.`,
    examples: ["Ada ada@example.org --answers ada", "'Ben B.' ben@example.org InitialFailure Recovered"],
    input: {
      name: text({ description: "what they are called", argument: "name", form: { label: "Name", help: null } }),
      email: text({
        description: "their mail address",
        argument: "mail",
        form: { label: "Mail address", help: null },
      }),
      events: EVENTS,
      answers: ANSWERS,
    },
    answer: CHANGED_MEMBER,
    role: "admin",
    inAudit: "added a member",
    run: (context, { name, email, ...more }) =>
      withoutAfterCommit(keep(context, email, { name, email, ...given(more) })),
  }),
  "member set": acts({
    summary: "change a member that a command added",
    notes: "An empty --answers takes it back.",
    examples: ["ada@example.org InitialFailure", "ada@example.org --name 'Ada L.' --answers ada"],
    input: {
      ...ONE_MEMBER,
      events: EVENTS,
      name: optionalText({ description: "what they are called", option: "name", value: "name" }),
      answers: ANSWERS,
    },
    answer: CHANGED_MEMBER,
    role: "admin",
    inAudit: "changed a member",
    run: (context, { email, name, ...more }) => {
      const before = context.kept.find(memberSectionName(email));
      if (before === null) return withoutAfterCommit(context.kept.remove(memberSectionName(email), missing(email))!);
      const changes = { ...(name !== null && { name }), ...given(more) };
      if (Object.keys(changes).length === 0)
        return withoutAfterCommit(refuseField("events", "neither they, --name nor --answers is given"));
      return withoutAfterCommit(keep(context, email, { ...before.settings, ...changes }));
    },
  }),
  "member remove": acts({
    summary: "remove a member that a command added: they get no mail of alerts any more",
    examples: ["ada@example.org", "ada@example.org --yes"],
    input: ONE_MEMBER,
    answer: CHANGED_MEMBER,
    role: "admin",
    confirm: true,
    inAudit: "removed a member",
    run: (context, { email }) =>
      withoutAfterCommit(
        context.kept.remove(memberSectionName(email), missing(email)) ?? changedMember(context, email, true),
      ),
  }),
  "member list": looks({
    summary: "list the members of the team, what mail each gets, and what set them up",
    examples: ["", "--json"],
    input: {},
    answer: MEMBERS,
    role: "admin",
    run: (context) => ({ members: membersOf(context), destinations: mailOf(context) }),
  }),
};

const missing = (email: string): Refusal =>
  refuseField(
    "email",
    `there is no member ${JSON.stringify(email)} that a command added; \`member list\` shows all`,
    "NOT_FOUND",
  );

const given = ({ events, answers }: Readonly<{ events: readonly string[]; answers: string | null }>) => ({
  ...(events.length > 0 && { events: events.join() }),
  ...(answers !== null && { answers }),
});

function keep(context: OperationContext, email: string, given: KeptSection["settings"]) {
  const name = memberSectionName(email);
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  const replaced = context.kept.find(name) !== null;
  const refused: Refusal | null = context.kept.change({ save: [{ name, settings }] });
  return refused ?? changedMember(context, email, replaced);
}

function changedMember(context: OperationContext, email: string, replaced: boolean) {
  const others = context.policy.team.members.filter(
    (one) => memberSectionName(one.email) !== memberSectionName(email),
  ).length;
  return { email, replaced, others, destinations: mailOf(context) };
}

/** Returns the destinations whose mail goes to the members, because they name no recipients. */
const mailOf = ({ policy }: OperationContext): string[] =>
  [...policy.destinations].flatMap(([name, rules]) =>
    rules.takes === "mail" && rules.recipients === null ? [name] : [],
  );

const membersOf = ({ policy, kept }: OperationContext) =>
  policy.team.members.map(({ name, email, events, answers = null }) => {
    const section = memberSectionName(email);
    return {
      name,
      email,
      events: [...events],
      answers,
      from: kept.originOf(section),
      kept: kept.find(section) !== null,
      overruled: kept.overruled(section),
    };
  });
