// What operations keep beside the file (R31): which commands keep what, and how it is laid beneath what is written.

import Type, { type TSchema } from "typebox";
import { isRoute, memberAt, namesOf, TEAM_ROUTE, tableAt } from "../domain/settings/kept.ts";
import type { KeptTable } from "../domain/settings/policy.ts";
import { CHANNELS, type ChannelEntry, isChannelType } from "./channels.ts";
import { nodeFromText } from "./environment.ts";
import { type Fault, type FaultOrigin, faultAt } from "./fault.ts";
import { KEYS } from "./keys.ts";
import { schemaUnder } from "./kinds.ts";
import { type ListNode, type Node, nodeAt, nodeFromJson, plant, type TableNode } from "./tree.ts";

/** `field`: by which operations name what stands there. */
type KeptKind = Readonly<{ at: RegExp; by: (name: string) => string; list: string; field: string }>;

const kind = (at: RegExp, command: string, field: string, list = `${command.split(" ")[0]} list`): KeptKind => ({
  ...{ at, field, list: `rollcall ${list}` },
  by: (name) => `rollcall ${command}${field === "email" ? ` ${name}` : ""}`,
});

const KINDS = [
  kind(/^destinations\.(.+)$/, "destination add", "name"),
  kind(/^applications\.(.+)\.status_page$/, "status-page add", "application"),
  kind(/^team\.members\.(.+)$/, "member add", "email"),
  kind(/^(?:applications\.)?(.+)\.destinations$/, "destination route", "application"),
  kind(/^server\.(.+)$/, "config set", "", "config check"),
  kind(/^(smtp)$/, "config set", "mail", "config check"),
];

const DESTINATION = /^destinations\.(.+)$/;

/** The commands for what is kept at this path, and what they call it. `by`: where its values come from. */
export function keptAs(path: string): { readonly by: string; readonly list: string; field: string; name: string } {
  const kind = KINDS.find(({ at }) => at.test(path))!;
  const name = kind.at.exec(path)![1]!;
  return { ...kind, by: kind.by(name), name };
}

/** Adds kept tables to what was written; destinations also to the team's: alerts go there by default. */
export function layBeneath(tree: TableNode, kept: readonly KeptTable[]): void {
  for (const table of kept.filter(({ path }) => memberAt(path) !== null)) layMember(tree, table);
  const others = kept.filter(({ path }) => memberAt(path) === null);
  const added = others.filter(({ path }) => nodeAt(tree, partsOf(path)) === undefined);
  for (const table of added.filter((table) => !isRoute(table)))
    plant(tree, partsOf(table.path), nodeOf(table, schemaAt(table.path)));
  const isThere = (name: string): boolean =>
    nodeAt(tree, ["destinations", name]) !== undefined || (name === "email" && mailsTeam(tree));
  for (const table of added.filter((table) => isRoute(table) && table.path !== TEAM_ROUTE)) {
    // What is named and gone must silence nothing: without any of it alerts go where all do.
    const names = namesOf(table).filter(isThere);
    if (names.length > 0) plant(tree, partsOf(table.path), nodeFromJson(names, originOf(table.path)));
  }
  const chosen = tableAt(others, TEAM_ROUTE);
  const byDefault = added.flatMap(({ path }) => DESTINATION.exec(path)?.[1] ?? []);
  tellTeam(tree, chosen === undefined ? byDefault : namesOf(chosen).filter(isThere));
}

/** Of what was laid beneath: destinations that only the configuration may name. */
export const keptFaults = (tree: TableNode, kept: readonly KeptTable[]): Fault[] =>
  kept.flatMap(({ path }) => {
    const at = [...path.split("."), "type"];
    const type = DESTINATION.test(path) ? nodeAt(tree, at) : undefined;
    if (type?.kind !== "scalar" || type.origin.file !== keptAs(path).by) return [];
    const name = String(type.value);
    const channel: ChannelEntry | null = isChannelType(name) ? CHANNELS[name] : null;
    const rule = "must stand in the configuration file, which no operation writes";
    return channel?.onlyInFile ? [faultAt(type.origin, at, `"${name}" says what runs on this computer`, rule)] : [];
  });

/** The key of a monitor may have dots, and is quoted then. */
function partsOf(path: string): string[] {
  const [, application = "", monitor] = /^applications\.([^.]+)\.monitors\.(.+)\.destinations$/.exec(path) ?? [];
  if (monitor === undefined) return path.split(".");
  const key: string = monitor.startsWith('"') ? JSON.parse(monitor) : monitor;
  return ["applications", application, "monitors", key, "destinations"];
}

const originOf = (path: string): FaultOrigin => ({ file: keptAs(path).by, line: null });

const schemaAt = (path: string): TSchema | undefined => path.split(".").reduce<TSchema | undefined>(schemaUnder, KEYS);

/** The text behind no key is all that stands there. */
function nodeOf({ path, settings }: KeptTable, schema: TSchema | undefined): Node {
  const origin = originOf(path);
  const read = (of: TSchema | undefined, text: string): Node =>
    (of === undefined ? null : nodeFromText(of, { text, origin })) ?? { kind: "scalar", origin, value: text };
  const { "": whole, ...keys } = settings;
  if (whole !== undefined) return read(schema, whole);
  const entries = Object.entries(keys).map(([key, text]): [string, Node] => [
    key,
    read(schemaUnder(schema, key), text),
  ]);
  return { kind: "table", origin, entries: new Map(entries) };
}

function layMember(tree: TableNode, table: KeptTable): void {
  const schema = schemaAt("team.members");
  const list = nodeAt(tree, ["team", "members"]) ?? nodeFromJson([], originOf(table.path));
  if (list.kind !== "list" || !Type.IsArray(schema) || emailsIn(list).includes(memberAt(table.path))) return;
  plant(tree, ["team", "members"], { ...list, items: [...list.items, nodeOf(table, schema.items)] });
}

const emailsIn = ({ items }: ListNode): (string | null)[] =>
  items.map((item) => {
    const email = nodeAt(item, ["email"]);
    return email?.kind === "scalar" ? String(email.value).toLowerCase() : null;
  });

function tellTeam(tree: TableNode, names: readonly string[]): void {
  if (names.length === 0) return;
  const origin = originOf(TEAM_ROUTE);
  const list = nodeAt(tree, ["team", "destinations"]) ?? nodeFromJson(mailsTeam(tree) ? ["email"] : [], origin);
  if (list.kind !== "list") return;
  const isListed = (name: string): boolean => list.items.some((item) => item.kind === "scalar" && item.value === name);
  const items = names.flatMap((name) => (isListed(name) ? [] : [nodeFromJson(name, origin)]));
  plant(tree, ["team", "destinations"], { ...list, items: [...list.items, ...items] });
}

/** Whether `email` reaches anybody by default: named without a member, it would be a fault of what is kept. */
function mailsTeam(tree: TableNode): boolean {
  const smtp = nodeAt(tree, ["smtp"]);
  const hasServer = smtp !== undefined && (smtp.kind !== "table" || smtp.entries.size > 0);
  return hasServer && nodeAt(tree, ["team", "members", 0]) !== undefined;
}
