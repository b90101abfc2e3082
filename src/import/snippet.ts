// What the configuration could have of another service, as TOML that a person may paste: destinations without their
// secrets, and settings that only the configuration has.

import { cleanLine } from "../domain/text.ts";
import type { ImportedDestination, ImportSource } from "./check.ts";
import { keyOf, type Planned } from "./plan.ts";

const COMMENT_LENGTH = 200;

/** For each kind of the services, our type and the lines that it needs; `NAME` stands for the destination's name. */
const KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["email", ['type = "email"', 'to = ["…"]']],
  ["smtp", ['type = "email"', 'to = ["…"]']],
  ...["slack", "mattermost", "rocketchat", "rocket.chat"].map((kind) => [kind, withUrl("slack")] as const),
  ["discord", withUrl("discord")],
  ...["msteams", "msteamsw", "teams"].map((kind) => [kind, withUrl("teams")] as const),
  ["ntfy", ['type = "ntfy"', 'url = "https://…"', 'topic = "…"']],
  ...["pd", "pagerduty"].map(
    (kind) => [kind, ['type = "pagerduty"', 'integration_key_file = "/run/credentials/NAME"']] as const,
  ),
  ["webhook", [...withUrl("webhook"), 'secret_file = "/run/credentials/NAME-secret"']],
]);

function withUrl(type: string): readonly string[] {
  return [`type = "${type}"`, 'url_file = "/run/credentials/NAME"'];
}

export function snippetOf(source: ImportSource, monitors: readonly Planned[], application: string): readonly string[] {
  const tuned = monitors.filter(({ check }) => check.configuration.length > 0);
  const names = new Set<string>();
  const destinations = source.destinations.flatMap((one) => destinationLines(one, source.service, names));
  return [
    ...destinations,
    ...routingLines([...names]),
    ...tuned.flatMap(({ key, check }) => [
      `[applications.${application}.monitors.${JSON.stringify(key)}]`,
      ...check.configuration,
      "",
    ]),
  ];
}

/** Comments, because the configuration may have a table `team` already. */
function routingLines(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [
    "# Alerts go there only when this list names them, with what it names by now:",
    "# [team]",
    `# destinations = [${names.map((name) => JSON.stringify(name)).join(", ")}]`,
    "",
  ];
}

function destinationLines({ name, kind }: ImportedDestination, service: string, names: Set<string>): readonly string[] {
  // In a comment, so on one line: what another service has written must not be pasted.
  const said = cleanLine([kind, ...(name === kind ? [] : [JSON.stringify(name)])].join(" "), COMMENT_LENGTH);
  const lines = KINDS.get(kind.toLowerCase());
  if (lines === undefined)
    return [`# ${said} of ${service}: rollcall has no such channel; a webhook may lead there`, ""];
  const base = keyOf(name) || keyOf(kind);
  let own = base;
  for (let number = 2; names.has(own); number++) own = `${base}-${number}`;
  names.add(own);
  return [
    `# ${said} of ${service}`,
    `[destinations.${own.includes(".") ? JSON.stringify(own) : own}]`,
    ...lines.map((line) => line.replace("NAME", own)),
    "",
  ];
}
