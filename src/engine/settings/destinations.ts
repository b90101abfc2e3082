// The rules for destinations that operations store beside the configuration file (R31, R37, R38): which may be added,
// changed, renamed or removed, and which lists of destinations change with them. cli/serving/ stores them and sends the
// tests.

import { isSlug, SLUG_RULE } from "../../domain/api-key.ts";
import { type Refusal, refuseField } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import {
  destinationIn,
  destinationSectionName,
  type KeptSection,
  routeSectionName,
} from "../../domain/settings/kept.ts";
import {
  keptSecretLedElsewhere,
  keptSettingsWith,
  namingRenamed,
  routesWith,
  routesWithout,
} from "../../domain/settings/kept-routes.ts";
import type { Policy, Routing } from "../../domain/settings/policy.ts";
import type { EngineContext } from "../engine-context.ts";
import type {
  DestinationKeeper,
  RenamedDestination,
  SectionKeeper,
  ShownRoute,
  WantedDestination,
} from "../engine-settings.ts";

/**
 * The name of the destination for mail to the team, which exists without being configured. Operations must not add a
 * destination of this name, unless its type is `email`; otherwise the team would get no mail any more.
 */
const BUILT_IN = "email";

interface KeepingContext extends EngineContext {
  readonly kept: SectionKeeper;
  readonly destinations: DestinationKeeper;
  readonly log: Log;
}

interface AskedDestination {
  readonly name: string;
  readonly settings: KeptSection["settings"];
  /**
   * The only application whose messages go to the destination; `null` when it gets those of all applications and
   * monitors without their own list of destinations.
   */
  readonly application: string | null;
}

const refuseUnlessName = (field: string, name: string): Refusal | null =>
  isSlug(name) ? null : refuseField(field, `${JSON.stringify(name)} is not a name, ${SLUG_RULE}`);

/** Prepares a new destination. It replaces one of the same name that an operation added before. */
export function addedDestination(
  { kept }: Pick<KeepingContext, "kept">,
  { name, settings, application }: AskedDestination,
): WantedDestination | Refusal {
  const wrong = refuseUnlessName("name", name);
  if (wrong !== null) return wrong;
  if (name === BUILT_IN && settings["type"] !== BUILT_IN)
    return refuseField("name", `"${BUILT_IN}" is the mail to the team's members, choose another name`);
  const section = { name: destinationSectionName(name), settings };
  return { name, settings, change: () => ({ save: [section, ...routesWith(kept.all(), section, application)] }) };
}

/**
 * Prepares changed settings of a destination. An empty text removes a setting. `onHost` is true for a command on
 * rollcall's own computer. Anyone else must give the secrets again with a new URL, because they would be sent to
 * another server.
 */
export function changedDestination(
  { kept, destinations }: Pick<KeepingContext, "kept" | "destinations">,
  { name, given, onHost }: Readonly<{ name: string; given: KeptSection["settings"]; onHost: boolean }>,
): WantedDestination | Refusal {
  const before = kept.find(destinationSectionName(name));
  if (before === null) return kept.notKept(destinationSectionName(name), missing(name));
  const again = onHost ? null : keptSecretLedElsewhere(before.settings, given, destinations.secretKeys);
  const rule = "must be given again, because with another url it would go elsewhere";
  if (again !== null) return refuseField(again, `is missing, ${rule}`);
  const settings = keptSettingsWith(before.settings, given);
  const change: WantedDestination["change"] = () => {
    // The test may take a minute. If the destination was changed meanwhile, the new settings are not stored.
    if (!kept.isKept(before)) throw new Error("it was changed or removed meanwhile");
    return { save: [{ name: before.name, settings }] };
  };
  return { name, settings, change };
}

/** Renames a destination, also in waiting messages and lists that name it. Must be called in a transaction. */
export function renameDestination(
  { kept, destinations, policy, store, log }: KeepingContext,
  name: string,
  newName: string,
): RenamedDestination | Refusal {
  const before = kept.find(destinationSectionName(name));
  if (before === null) return kept.notKept(destinationSectionName(name), missing(name));
  const after = destinationSectionName(newName);
  const wrong = refuseUnlessName("newName", newName);
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
  const waiting = isInForce ? destinations.renameWaitingMessages(name, newName) : 0;
  log("info", "destination_renamed", { destination: name, to: newName, waiting });
  return { name, newName, waiting };
}

/** Removes a destination, also from the lists that name it. Must be called in a transaction. */
export function removeDestination({ kept, policy, log }: KeepingContext, name: string): Refusal | null {
  const section = destinationSectionName(name);
  if (kept.find(section) === null) return kept.notKept(section, missing(name));
  const rota = [...(policy.rotas?.values() ?? [])].find(({ turns }) => turns.includes(name));
  if (rota !== undefined)
    return refuseField("name", `it is a turn of ${JSON.stringify(rota.name)}, whose turns must change first`);
  const { save, remove } = routesWithout(kept.all(), name);
  const refused = kept.change({ save, remove: [section, ...remove] });
  if (refused === null) log("info", "destination_removed", { destination: name });
  return refused;
}

/**
 * Returns the destination `name` as text for the configuration file, without secrets. `null` stands for all
 * destinations that operations have stored.
 */
export function exportedDestinations({ kept }: KeepingContext, name: string | null): string | Refusal {
  const section = name === null ? null : destinationSectionName(name);
  const sections = kept
    .all()
    .filter((one) => (section === null ? destinationIn(one.name) !== null : one.name === section));
  if (section !== null && sections.length === 0) return kept.notKept(section, missing(name!));
  return sections.map(kept.exported).join("\n");
}

const missing = (name: string): Refusal =>
  refuseField("name", `there is no destination ${JSON.stringify(name)} that a command added`, "NOT_FOUND");

/**
 * Returns the lists of destinations to which alerts go: first the team's, then those of labels, applications and
 * monitors. In the list of a label, `monitor` is the label (`label:…`) and `application` is `null`.
 */
export function shownRoutes(policy: Policy, kept: SectionKeeper): ShownRoute[] {
  const shown = (application: string | null, monitor: string | null, { destinations }: Routing): ShownRoute[] => {
    if (destinations === undefined) return [];
    const isLabel = application === null && monitor !== null;
    const name = isLabel ? routeSectionName(monitor) : routeSectionName(application, monitor);
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
