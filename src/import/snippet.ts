// What the configuration could have of another service, as TOML to paste: destinations without secrets, and settings.

import { cleanLine } from "../domain/text.ts";
import type { ImportedDestination, ImportSource } from "./check.ts";
import { keyOf } from "./plan.ts";

const COMMENT_LENGTH = 200;

const SERVER = 'url = "https://…"';
const ADDRESS = 'url_file = "/run/credentials/NAME"';
const TOKEN = 'token_file = "/run/credentials/NAME"';
const CHAT = 'chat = "…"';

/** For each of our types the lines that it needs; `NAME` stands for the destination's name. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  email: ['to = ["…"]'],
  ...{ slack: [ADDRESS], discord: [ADDRESS], teams: [ADDRESS], googlechat: [ADDRESS], apprise: [ADDRESS] },
  ...{ telegram: [TOKEN, CHAT], gotify: [SERVER, TOKEN], matrix: [SERVER, TOKEN, CHAT], opsgenie: [TOKEN] },
  ...{
    ntfy: [SERVER, 'topic = "…"'],
    signal: [SERVER, 'from = "…"', CHAT],
    zulip: [SERVER, 'user = "…"', TOKEN, CHAT],
  },
  twilio: ['user = "…"', TOKEN, 'from = "…"', CHAT],
  pushover: [TOKEN, 'user_file = "/run/credentials/NAME-user"'],
  pagerduty: ['integration_key_file = "/run/credentials/NAME"'],
  webhook: [ADDRESS, 'secret_file = "/run/credentials/NAME-secret"'],
};

const TYPES: Readonly<Record<string, string>> = {
  ...{ smtp: "email", mattermost: "slack", rocketchat: "slack", "rocket.chat": "slack", pd: "pagerduty" },
  ...{ msteams: "teams", msteamsw: "teams", po: "pushover" },
};

export function snippetOf(source: ImportSource): readonly string[] {
  const names = new Set<string>();
  const destinations = source.destinations.flatMap((one) => destinationLines(one, source.service, names));
  return [...destinations, ...routingLines([...names])];
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
  const type = TYPES[kind.toLowerCase()] ?? kind.toLowerCase();
  const lines = Object.hasOwn(LINES, type) ? LINES[type] : undefined;
  if (lines === undefined)
    return [`# ${said} of ${service}: rollcall has no such channel; http or a webhook may lead there`, ""];
  const base = keyOf(name) || keyOf(kind);
  let own = base;
  for (let number = 2; names.has(own); number++) own = `${base}-${number}`;
  names.add(own);
  return [
    `# ${said} of ${service}`,
    `[destinations.${own.includes(".") ? JSON.stringify(own) : own}]`,
    `type = "${type}"`,
    ...lines.map((line) => line.replace("NAME", own)),
    "",
  ];
}
