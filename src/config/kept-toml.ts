// Reads and writes, as TOML, the sections of the configuration that operations store beside the file (R31), such as a
// destination. A section that the file or the environment sets too is ignored as a whole: a stored token could
// otherwise be sent to a url of the file. Two lists are joined instead: the team's destinations and the team's members.
// The members and destinations of the file come first, then the stored ones.

import type { TSchema } from "typebox";
import Type from "typebox";
import { type Refusal, refuseField } from "../domain/errors.ts";
import {
  type KeptNoun,
  type KeptSection,
  type KeptText,
  ownerOfRoute,
  readSectionName,
  TEAM_ROUTE,
} from "../domain/settings/kept.ts";
import { KEYS } from "./all-keys.ts";
import { CHANNELS, type ChannelEntry, isChannelType } from "./channel-keys.ts";
import { nodeFromText } from "./environment.ts";
import { type Fault, type FaultOrigin, faultAt, faultPlace, formatPath, keyNameInFault } from "./fault.ts";
import { annotationsOf, schemaUnder, type WrittenValue } from "./kinds.ts";
import { readToml, writeToml } from "./toml.ts";
import { type ListNode, type Node, nodeAt, nodeFromJson, plantNode, type TableNode } from "./tree.ts";

interface PlaceOfSection {
  /** Where the section is in the configuration's tree: the path of a table, of the list around it, or of a key. */
  readonly path: readonly string[];
  /** The command that stores the section. It counts as the origin of the section's values, for example in faults. */
  readonly by: string;
  /** The field by which operations name the section, and its value: `name` and `ops` for the destination `ops`. */
  readonly field: string;
  readonly called: string;
  /** The command that shows the section. */
  readonly showCommand: string;
}

type PlacedBy = (called: string) => Pick<PlaceOfSection, "path" | "by" | "field"> & { readonly called?: string };

const NOUNS: Readonly<Record<KeptNoun, PlacedBy>> = {
  destination: (name) => ({ path: ["destinations", name], by: `destination add ${name}`, field: "name" }),
  member: (email) => ({ path: ["team", "members"], by: `member add ${email}`, field: "email" }),
  "status-page": (application) => ({
    path: ["applications", application, "status_page"],
    by: `status-page add ${application}`,
    field: "application",
  }),
  route: (called) => {
    const { application, monitor } = ownerOfRoute(called);
    const of = `${application === null ? "" : ` --app ${application}`}${monitor === null ? "" : ` --monitor ${monitor}`}`;
    const path = [...holderOf(application, monitor), "destinations"];
    return { path, by: `destination route${of}`, field: "application" };
  },
  server: (setting) => {
    const path = SERVER[setting]!;
    const field = setting === "mail" ? "mail" : formatPath(path);
    return { path, by: `config set --${setting}`, field, called: path.at(-1)! };
  },
};

const SERVER: Readonly<Record<string, readonly string[]>> = {
  timezone: ["server", "timezone"],
  url: ["server", "public_url"],
  mail: ["smtp"],
};

/**
 * Returns the path of the table whose key `destinations` a stored route sets: the team's, an application's, a label's
 * (`label:db`) or a monitor's.
 */
function holderOf(application: string | null, monitor: string | null): string[] {
  if (application === null) return ["team"];
  if (application.startsWith("label:")) return ["labels", application.slice("label:".length)];
  return ["applications", application, ...(monitor === null ? [] : ["monitors", monitor])];
}

/** Returns where the kept section of this name, such as `destination ops`, is in the tree, and how commands name it. */
export function placeOfSection(name: string): PlaceOfSection {
  const { noun, called } = readSectionName(name);
  const place = NOUNS[noun](called);
  const [group] = place.by.split(" ");
  const showCommand = `rollcall ${group} ${group === "config" ? "check" : "list"}`;
  return { called, ...place, by: `rollcall ${place.by}`, showCommand };
}

const schemaAt = (path: readonly string[]): TSchema | undefined => path.reduce<TSchema | undefined>(schemaUnder, KEYS);

/**
 * Returns the path of the table that holds the keys of a kept section, and its schema. `isListed` says that the table
 * is an item in a list of tables, as a member of the team is.
 */
function tableOf({ path }: PlaceOfSection) {
  const schema = schemaAt(path);
  if (Type.IsArray(schema) && Type.IsObject(schema.items)) return { path, schema: schema.items, isListed: true };
  if (Type.IsObject(schema)) return { path, schema, isListed: false };
  return { path: path.slice(0, -1), schema: schemaAt(path.slice(0, -1)), isListed: false };
}

/** Writes a kept section as TOML. With `hidden`, a secret is written as the name of a file that would hold it. */
export function writeSection({ name, settings }: KeptSection, secrets: "shown" | "hidden" = "shown"): string {
  const place = placeOfSection(name);
  const { path, schema, isListed } = tableOf(place);
  const header = path.map(keyNameInFault).join(".");
  const lines = Object.entries(settings).map(([key, text]) => {
    const ofKey = schemaUnder(schema, key);
    if (secrets === "hidden" && annotationsOf(ofKey ?? {}).secret)
      return `${key}_file = ${writeToml(`/etc/rollcall/${place.called}-${key}`)}`;
    const node = nodeFromText(ofKey ?? Type.String(), { text, origin: { file: place.by, line: null } });
    return `${keyNameInFault(key)} = ${writeToml(writtenIn(node) ?? text)}`;
  });
  return `${isListed ? `[[${header}]]` : `[${header}]`}\n${lines.join("\n")}\n`;
}

/** The value of a node; `null` when the node is a table or is missing. */
function writtenIn(node: Node | null): WrittenValue | null {
  if (node?.kind === "list") return node.items.map(scalarText);
  return node?.kind === "scalar" ? (node.value as WrittenValue) : null;
}

const scalarText = (node: Node): string => (node.kind === "scalar" ? String(node.value) : "");

/** Reads the settings of a kept section. A text that is no TOML gives no settings. */
export function readSection({ name, toml }: KeptText): KeptSection {
  const place = placeOfSection(name);
  const { path, isListed } = tableOf(place);
  const tree = readToml(toml, originOf(place));
  const table = "kind" in tree ? nodeAt(tree, isListed ? [...path, 0] : path) : undefined;
  const entries = table?.kind === "table" ? [...table.entries] : [];
  const texts = entries.map(([key, node]) => [
    key,
    node.kind === "list" ? node.items.map(scalarText).join() : scalarText(node),
  ]);
  return { name, settings: Object.fromEntries(texts) };
}

const isMember = (name: string): boolean => readSectionName(name).noun === "member";

const originOf =
  ({ by }: PlaceOfSection) =>
  (): FaultOrigin => ({ file: by, line: null });

/** Returns what sets the section: the line of a file, a variable or a command; `null` when nothing does. */
export function originOfSection(tree: TableNode, name: string): string | null {
  const written = writtenAt(tree, name);
  return written === undefined ? null : faultPlace(written.origin);
}

/**
 * Finds what the file or the environment has written where the kept section would go: a value, or the first key of a
 * table. It also finds a value that is written in place of a table that would contain the section.
 */
function writtenAt(tree: TableNode, name: string): Node | undefined {
  const { path, called } = placeOfSection(name);
  let node: Node | undefined = tree;
  for (const part of path) if (node?.kind === "table") node = node.entries.get(part);
  if (isMember(name))
    return node?.kind === "list" ? node.items.map(emailOf).find((email) => isCalled(email, called)) : node;
  return (node?.kind === "table" ? [...node.entries.values()][0] : null) ?? node;
}

const emailOf = (member: Node): Node | undefined => nodeAt(member, ["email"]);

const isCalled = (email: Node | undefined, called: string): boolean =>
  email?.kind === "scalar" && String(email.value).toLowerCase() === called;

/**
 * Adds the kept sections to the tree. Lists of destinations come last, because a name in them counts only if its
 * destination exists.
 */
export function addKeptSections(tree: TableNode, kept: readonly KeptText[]): Fault[] {
  const rank = ({ name }: KeptText): number =>
    name === TEAM_ROUTE ? 2 : readSectionName(name).noun === "route" ? 1 : 0;
  return kept.toSorted((a, b) => rank(a) - rank(b)).flatMap((section) => addSection(tree, section));
}

function addSection(tree: TableNode, { name, toml }: KeptText): Fault[] {
  const place = placeOfSection(name);
  const read = readToml(toml, originOf(place));
  if (!("kind" in read)) return [read];
  const { noun } = readSectionName(name);
  const node = nodeAt(read, place.path);
  if (node === undefined || (name !== TEAM_ROUTE && writtenAt(tree, name) !== undefined)) return [];
  if (noun === "destination") {
    plantNode(tree, place.path, node);
    return programFaults(node, place.path);
  }
  if (node.kind !== "list") plantNode(tree, place.path, node);
  else if (noun === "member") join(tree, place.path, node);
  else {
    const there = { ...node, items: node.items.filter((item) => isThere(tree, scalarText(item))) };
    // A stored list none of whose destinations exists is left out. Then alerts go where they would go without it;
    // otherwise they would go nowhere.
    if (there.items.length === 0) return [];
    if (name !== TEAM_ROUTE) plantNode(tree, place.path, there);
    else join(tree, place.path, there, nodeFromJson(mailsTeam(tree) ? ["email"] : [], node.origin));
  }
  return [];
}

/** Returns the fault of a stored destination that names a program to run: only the configuration file may. */
function programFaults(destination: Node, path: readonly string[]): Fault[] {
  const type = nodeAt(destination, ["type"]);
  const named = type === undefined ? "" : scalarText(type);
  const channel: ChannelEntry | null = isChannelType(named) ? CHANNELS[named] : null;
  if (type === undefined || !channel?.onlyInFile) return [];
  const rule = "must stand in the configuration file, which no operation writes";
  return [faultAt(type.origin, [...path, "type"], `"${named}" says what runs on this computer`, rule)];
}

/** Adds to the list at this path the items of `more` that it lacks. `otherwise` is the list when none is written. */
function join(
  tree: TableNode,
  path: readonly string[],
  more: ListNode,
  otherwise: Node = { ...more, items: [] },
): void {
  const list = nodeAt(tree, path) ?? otherwise;
  if (list.kind !== "list") return;
  const isListed = (item: Node): boolean =>
    item.kind === "scalar" && list.items.some((one) => one.kind === "scalar" && one.value === item.value);
  plantNode(tree, path, { ...list, items: [...list.items, ...more.items.filter((item) => !isListed(item))] });
}

const isThere = (tree: TableNode, name: string): boolean =>
  nodeAt(tree, ["destinations", name]) !== undefined || (name === "email" && mailsTeam(tree));

/**
 * Whether the destination `email` exists and reaches a member of the team. If it reached no one, adding it to the
 * team's list of destinations would be a fault.
 */
function mailsTeam(tree: TableNode): boolean {
  const smtp = nodeAt(tree, ["smtp"]);
  const hasServer = smtp !== undefined && (smtp.kind !== "table" || smtp.entries.size > 0);
  return hasServer && nodeAt(tree, ["team", "members", 0]) !== undefined;
}

/**
 * Returns the faults that were found in a kept section. A fault of one key names that key's field of the operation; a
 * fault of the whole section names the field with the section's name. Faults of secrets that the section takes from
 * systemd's credentials are among them.
 */
export function faultsOfSection(name: string, faults: readonly Fault[]): Refusal[] {
  const { by, path, field } = placeOfSection(name);
  return faults
    .filter(({ file, key }) => file === by || key.startsWith(`${formatPath(path)}.`))
    .map(({ key, what, rule }) => {
      const called = (key === formatPath(path) ? null : key.split(".").at(-1)) || field;
      return refuseField({ field: called.replace(/\[\d+\]$/, ""), called }, `${what}, ${rule}`);
    });
}
