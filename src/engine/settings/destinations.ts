// The rules of destinations that operations store beside the configuration (R31, R37, R38): which may be added,
// changed, renamed and removed, and which lists change with them. An edge reads and writes them, and sends the test.

import { isSlug, SLUG_RULE } from "../../domain/api-key.ts";
import { type Refusal, refuseField } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { destinationIn, destinationPiece, type KeptPiece, routePiece } from "../../domain/settings/kept.ts";
import {
  namingRenamed,
  routesWith,
  routesWithout,
  secretLedElsewhere,
  settingsWith,
} from "../../domain/settings/kept-routes.ts";
import type { Policy, Routing } from "../../domain/settings/policy.ts";
import type { EngineContext } from "../engine-context.ts";
import type {
  DestinationKeeper,
  PieceKeeper,
  RenamedDestination,
  ShownRoute,
  WantedDestination,
} from "../engine-settings.ts";

/**
 * The destination for the team's mail, which exists without being configured. Operations must not add one of this name:
 * the team would get no mail any more.
 */
const BUILT_IN = "email";

interface KeepingContext extends EngineContext {
  readonly kept: PieceKeeper;
  readonly destinations: DestinationKeeper;
  readonly log: Log;
}

interface AskedDestination {
  readonly name: string;
  readonly settings: KeptPiece["settings"];
  /** The only application whose messages the destination gets; `null` when it is told of all by default. */
  readonly application: string | null;
}

const notANameOr = (field: string, name: string): Refusal | null =>
  isSlug(name) ? null : refuseField(field, `${JSON.stringify(name)} is not a name, ${SLUG_RULE}`);

/** A new destination with the lists that name it, or the replacement of one that an operation added. */
export function addedDestination(
  { kept }: Pick<KeepingContext, "kept">,
  { name, settings, application }: AskedDestination,
): WantedDestination | Refusal {
  const wrong = notANameOr("name", name);
  if (wrong !== null) return wrong;
  if (name === BUILT_IN && settings["type"] !== BUILT_IN)
    return refuseField("name", `"${BUILT_IN}" is the mail to the team's members, choose another name`);
  const piece = { name: destinationPiece(name), settings };
  return { name, settings, change: () => ({ save: [piece, ...routesWith(kept.all(), piece, application)] }) };
}

/**
 * Returns the destination with these settings changed; an empty text takes a setting back. Unless `onHost`, another URL
 * requires the secrets again.
 */
export function changedDestination(
  { kept, destinations }: Pick<KeepingContext, "kept" | "destinations">,
  { name, given, onHost }: Readonly<{ name: string; given: KeptPiece["settings"]; onHost: boolean }>,
): WantedDestination | Refusal {
  const before = kept.find(destinationPiece(name));
  if (before === null) return kept.notKept(destinationPiece(name), missing(name));
  const again = onHost ? null : secretLedElsewhere(before.settings, given, destinations.secretKeys);
  const rule = "must be given again, because with another url it would go elsewhere";
  if (again !== null) return refuseField(again, `is missing, ${rule}`);
  const settings = settingsWith(before.settings, given);
  const change: WantedDestination["change"] = () => {
    // The piece may have changed during the test, which may take a minute.
    if (!kept.isKept(before)) throw new Error("it was changed or removed meanwhile");
    return { save: [{ name: before.name, settings }] };
  };
  return { name, settings, change };
}

/** Renames the destination, its waiting messages and all lists that name it. Must be called in a transaction. */
export function renameDestination(
  { kept, destinations, policy, store, log }: KeepingContext,
  name: string,
  newName: string,
): RenamedDestination | Refusal {
  const before = kept.find(destinationPiece(name));
  if (before === null) return kept.notKept(destinationPiece(name), missing(name));
  const after = destinationPiece(newName);
  const wrong = notANameOr("newName", newName);
  if (wrong !== null) return wrong;
  if (policy.destinations.has(newName) || policy.rotas?.has(newName) || kept.find(after) !== null)
    return refuseField("newName", `there is a destination ${JSON.stringify(newName)} already`);
  if (store.destinations.isBusy(name, newName)) {
    const why = "a message is on its way there, or waits for another of the new name; give the command again";
    return refuseField("newName", why);
  }
  const isInForce = kept.overruled(before.name) === null;
  const save = [{ ...before, name: after }, ...namingRenamed(kept.all(), name, newName)];
  const refused = kept.change({ save, renamed: [before.name, after] });
  if (refused !== null) return refused;
  const waiting = isInForce ? destinations.follow(name, newName) : 0;
  log("info", "destination_renamed", { destination: name, to: newName, waiting });
  return { name, newName, waiting };
}

/** Returns `null` when the destination was removed, otherwise a refusal. Must be called in a transaction. */
export function removeDestination({ kept, policy, log }: KeepingContext, name: string): Refusal | null {
  const piece = destinationPiece(name);
  if (kept.find(piece) === null) return kept.notKept(piece, missing(name));
  const rota = [...(policy.rotas?.values() ?? [])].find(({ turns }) => turns.includes(name));
  if (rota !== undefined)
    return refuseField("name", `it is a turn of ${JSON.stringify(rota.name)}, whose turns must change first`);
  const { save, remove } = routesWithout(kept.all(), name);
  const refused = kept.change({ save, remove: [piece, ...remove] });
  if (refused === null) log("info", "destination_removed", { destination: name });
  return refused;
}

/** The destination in the form of the configuration, without secrets. `null` exports all that operations added. */
export function exportedDestinations({ kept }: KeepingContext, name: string | null): string | Refusal {
  const piece = name === null ? null : destinationPiece(name);
  const pieces = kept.all().filter((one) => (piece === null ? destinationIn(one.name) !== null : one.name === piece));
  if (piece !== null && pieces.length === 0) return kept.notKept(piece, missing(name!));
  return pieces.map(kept.exported).join("\n");
}

const missing = (name: string): Refusal =>
  refuseField("name", `there is no destination ${JSON.stringify(name)} that a command added`, "NOT_FOUND");

/**
 * The lists of destinations: the team's first, then every other. In a rule for a label, the label takes the place of a
 * monitor.
 */
export function shownRoutes(policy: Policy, kept: PieceKeeper): ShownRoute[] {
  const shown = (application: string | null, monitor: string | null, { destinations }: Routing): ShownRoute[] => {
    if (destinations === undefined) return [];
    const isLabel = application === null && monitor !== null;
    const name = isLabel ? routePiece(monitor) : routePiece(application, monitor);
    const from = kept.originOf(name);
    return [{ application, monitor, destinations: [...destinations], from, kept: kept.find(name) !== null }];
  };
  return [
    ...shown(null, null, policy.team),
    ...[...(policy.labels ?? [])].flatMap(([label, said]) => shown(null, `label:${label}`, said)),
    ...[...policy.applications].flatMap(([slug, rules]) => [
      ...shown(slug, null, rules),
      ...[...rules.monitors].flatMap(([key, own]) => shown(slug, key, own)),
    ]),
  ];
}
