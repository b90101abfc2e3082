// Settings that operations keep beside the configuration file (R31), as TOML: how such a piece is written and read, and
// how it is added to what is written. If the file sets a piece's name, the whole kept piece is ignored: mixed, a kept
// token would be sent to the url of the file.

import type { TSchema } from "typebox";
import Type from "typebox";
import { type Refusal, refuseField } from "../domain/errors.ts";
import {
  type KeptNoun,
  type KeptPiece,
  type KeptText,
  readName,
  routeOf,
  TEAM_ROUTE,
} from "../domain/settings/kept.ts";
import { KEYS } from "./all-keys.ts";
import { CHANNELS, type ChannelEntry, isChannelType } from "./channel-keys.ts";
import { nodeFromText } from "./environment.ts";
import { type Fault, type FaultOrigin, faultAt, faultPlace, formatName, formatPath } from "./fault.ts";
import { annotationsOf, schemaUnder, type WrittenValue } from "./kinds.ts";
import { readToml, writeToml } from "./toml.ts";
import { type ListNode, type Node, nodeAt, nodeFromJson, plant, type TableNode } from "./tree.ts";

interface PlaceOfPiece {
  /** The path of the piece: a table, the list of tables that holds it, or a key. */
  readonly path: readonly string[];
  /** The command that keeps the piece; what is read from it has this command as its origin. */
  readonly by: string;
  /** The field in which operations name the piece, and the word they use for it. */
  readonly field: string;
  readonly called: string;
  /** The command that shows the piece. */
  readonly list: string;
}

type PlacedBy = (called: string) => Pick<PlaceOfPiece, "path" | "by" | "field"> & { readonly called?: string };

const NOUNS: Readonly<Record<KeptNoun, PlacedBy>> = {
  destination: (name) => ({ path: ["destinations", name], by: `destination add ${name}`, field: "name" }),
  member: (email) => ({ path: ["team", "members"], by: `member add ${email}`, field: "email" }),
  "status-page": (application) => ({
    path: ["applications", application, "status_page"],
    by: `status-page add ${application}`,
    field: "application",
  }),
  route: (called) => {
    const { application, monitor } = routeOf(called);
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

/** The table that holds a piece. A label takes the place of the application: `label:db`. */
function holderOf(application: string | null, monitor: string | null): string[] {
  if (application === null) return ["team"];
  if (application.startsWith("label:")) return ["labels", application.slice("label:".length)];
  return ["applications", application, ...(monitor === null ? [] : ["monitors", monitor])];
}

/** Where a piece of this name is in the tree, and how commands name it. */
export function placeOfPiece(name: string): PlaceOfPiece {
  const { noun, called } = readName(name);
  const place = NOUNS[noun](called);
  const [group] = place.by.split(" ");
  const list = `rollcall ${group} ${group === "config" ? "check" : "list"}`;
  return { called, ...place, by: `rollcall ${place.by}`, list };
}

const schemaAt = (path: readonly string[]): TSchema | undefined => path.reduce<TSchema | undefined>(schemaUnder, KEYS);

/** The table that holds the keys of a piece, with its schema. */
function tableOf({ path }: PlaceOfPiece) {
  const schema = schemaAt(path);
  if (Type.IsArray(schema) && Type.IsObject(schema.items)) return { path, schema: schema.items, isListed: true };
  if (Type.IsObject(schema)) return { path, schema, isListed: false };
  return { path: path.slice(0, -1), schema: schemaAt(path.slice(0, -1)), isListed: false };
}

/**
 * Writes a piece as the file would have it. With `hidden`, each secret stays in a file, and the text names that file.
 */
export function writePiece({ name, settings }: KeptPiece, secrets: "shown" | "hidden" = "shown"): string {
  const place = placeOfPiece(name);
  const { path, schema, isListed } = tableOf(place);
  const header = path.map(formatName).join(".");
  const lines = Object.entries(settings).map(([key, text]) => {
    const ofKey = schemaUnder(schema, key);
    if (secrets === "hidden" && annotationsOf(ofKey ?? {}).secret)
      return `${key}_file = ${writeToml(`/etc/rollcall/${place.called}-${key}`)}`;
    const node = nodeFromText(ofKey ?? Type.String(), { text, origin: { file: place.by, line: null } });
    return `${formatName(key)} = ${writeToml(writtenIn(node) ?? text)}`;
  });
  return `${isListed ? `[[${header}]]` : `[${header}]`}\n${lines.join("\n")}\n`;
}

/** The value of a node; `null` when it has none. */
function writtenIn(node: Node | null): WrittenValue | null {
  if (node?.kind === "list") return node.items.map(scalarText);
  return node?.kind === "scalar" ? (node.value as WrittenValue) : null;
}

const scalarText = (node: Node): string => (node.kind === "scalar" ? String(node.value) : "");

/** Reads the table of a piece; a text that is no TOML gives an empty table. */
export function readPiece({ name, toml }: KeptText): KeptPiece {
  const place = placeOfPiece(name);
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

const isMember = (name: string): boolean => readName(name).noun === "member";

const originOf =
  ({ by }: PlaceOfPiece) =>
  (): FaultOrigin => ({ file: by, line: null });

/** Names who set this piece: a line of a file, a variable or a command; `null` when nothing set it. */
export function whoSet(tree: TableNode, name: string): string | null {
  const standing = standingAt(tree, name);
  return standing === undefined ? null : faultPlace(standing.origin);
}

/**
 * Finds what is written where the piece would go: a value, or the first key of a table. It also finds a value that
 * stands where one of the tables around the piece would be.
 */
function standingAt(tree: TableNode, name: string): Node | undefined {
  const { path, called } = placeOfPiece(name);
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
 * Adds kept pieces to what is written. Lists of destinations come last, because they may name only destinations that
 * exist.
 */
export function layBeneath(tree: TableNode, kept: readonly KeptText[]): Fault[] {
  const rank = ({ name }: KeptText): number => (name === TEAM_ROUTE ? 2 : readName(name).noun === "route" ? 1 : 0);
  return kept.toSorted((a, b) => rank(a) - rank(b)).flatMap((piece) => lay(tree, piece));
}

function lay(tree: TableNode, { name, toml }: KeptText): Fault[] {
  const place = placeOfPiece(name);
  const read = readToml(toml, originOf(place));
  if (!("kind" in read)) return [read];
  const { noun } = readName(name);
  const node = nodeAt(read, place.path);
  if (node === undefined || (name !== TEAM_ROUTE && standingAt(tree, name) !== undefined)) return [];
  if (noun === "destination") {
    plant(tree, place.path, node);
    return programFaults(node, place.path);
  }
  if (node.kind !== "list") plant(tree, place.path, node);
  else if (noun === "member") join(tree, place.path, node);
  else {
    const there = { ...node, items: node.items.filter((item) => isThere(tree, scalarText(item))) };
    // When none of the destinations exists any more, the kept list is left out. Then alerts go where they would go
    // without it; otherwise they would go nowhere.
    if (there.items.length === 0) return [];
    if (name !== TEAM_ROUTE) plant(tree, place.path, there);
    else join(tree, place.path, there, nodeFromJson(mailsTeam(tree) ? ["email"] : [], node.origin));
  }
  return [];
}

/** The faults of a destination that sets which program runs here, which only the file may do. */
function programFaults(destination: Node, path: readonly string[]): Fault[] {
  const type = nodeAt(destination, ["type"]);
  const named = type === undefined ? "" : scalarText(type);
  const channel: ChannelEntry | null = isChannelType(named) ? CHANNELS[named] : null;
  if (type === undefined || !channel?.onlyInFile) return [];
  const rule = "must stand in the configuration file, which no operation writes";
  return [faultAt(type.origin, [...path, "type"], `"${named}" says what runs on this computer`, rule)];
}

/** Adds names that a list lacks. `otherwise` is the list when none is written. */
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
  plant(tree, path, { ...list, items: [...list.items, ...more.items.filter((item) => !isListed(item))] });
}

const isThere = (tree: TableNode, name: string): boolean =>
  nodeAt(tree, ["destinations", name]) !== undefined || (name === "email" && mailsTeam(tree));

/**
 * Whether `email` reaches a person by default: without a member of the team, adding its name would be a fault of a kept
 * piece.
 */
function mailsTeam(tree: TableNode): boolean {
  const smtp = nodeAt(tree, ["smtp"]);
  const hasServer = smtp !== undefined && (smtp.kind !== "table" || smtp.entries.size > 0);
  return hasServer && nodeAt(tree, ["team", "members", 0]) !== undefined;
}

/**
 * The faults that a reading found in a piece, each by the field with which operations name it. A fault may also be that
 * of a credential that holds a secret of the piece.
 */
export function faultsOfPiece(name: string, faults: readonly Fault[]): Refusal[] {
  const { by, path, field } = placeOfPiece(name);
  return faults
    .filter(({ file, key }) => file === by || key.startsWith(`${formatPath(path)}.`))
    .map(({ key, what, rule }) => {
      const called = (key === formatPath(path) ? null : key.split(".").at(-1)) || field;
      return refuseField({ field: called.replace(/\[\d+\]$/, ""), called }, `${what}, ${rule}`);
    });
}
