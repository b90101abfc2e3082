// Which destinations hear of what: lists that operations keep, and what is in force (R38). Pure.

import { formatPath } from "../../config/fault.ts";
import { isRoute, namesOf, routeAt, routePath, TEAM_ROUTE, tableAt } from "../../domain/settings/kept.ts";
import type { KeptTable, Routing } from "../../domain/settings/policy.ts";
import type { KeptChange, ShownRoute } from "../../engine/reloads.ts";
import { type InForce, settingOf } from "./in-force.ts";

/**
 * The lists that change with a new destination: it hears of this application alone, or of all by default. A rota hears
 * in the place of its turns.
 */
export function routesWith(kept: readonly KeptTable[], added: KeptTable, application: string | null): KeptTable[] {
  const team = tableAt(kept, TEAM_ROUTE);
  const name = settingOf("destinations", added.path)!;
  const turns = turnsOf(added);
  if (application === null && team === undefined && turns.length === 0) return [];
  const byDefault =
    team === undefined ? kept.flatMap(({ path }) => settingOf("destinations", path) ?? []) : namesOf(team);
  const others = byDefault.filter((other) => other !== name && !turns.includes(other));
  if (application === null) return [routeAt(TEAM_ROUTE, [...others, name])];
  const path = routePath(application);
  const own = tableAt(kept, path);
  const its = own === undefined ? [] : namesOf(own).filter((other) => !turns.includes(other));
  return [routeAt(TEAM_ROUTE, others), routeAt(path, [...its, name])];
}

/** The turns that a rota names; empty: the table is no rota. */
const turnsOf = ({ settings }: KeptTable): string[] =>
  settings["type"] === "rota" ? (settings["turns"] ?? "").split(",").map((name) => name.trim()) : [];

/** The lists that have this name, with others in its place. */
const listsNaming = (kept: readonly KeptTable[], name: string, instead: readonly string[]): KeptTable[] =>
  kept
    .filter((table) => isRoute(table) && namesOf(table).includes(name))
    .map((table) => {
      const names = namesOf(table).flatMap((other) => (other === name ? instead : [other]));
      return routeAt(table.path, names);
    });

export const routesRenamed = (kept: readonly KeptTable[], from: string, to: string): KeptTable[] => [
  ...listsNaming(kept, from, [to]),
  ...kept.flatMap((table): KeptTable | readonly [] => {
    const turns = turnsOf(table);
    if (!turns.includes(from)) return [];
    const renamed = turns.map((name) => (name === from ? to : name)).join();
    return { ...table, settings: { ...table.settings, turns: renamed } };
  }),
];

/** Where an application has no destination left, its alerts go to the team's. */
export function routesWithout(kept: readonly KeptTable[], name: string): Required<KeptChange> {
  const isEmpty = (table: KeptTable): boolean => table.path !== TEAM_ROUTE && namesOf(table).length === 0;
  const lists = listsNaming(kept, name, []);
  return { save: lists.filter((table) => !isEmpty(table)), remove: lists.filter(isEmpty).map(({ path }) => path) };
}

/** The team's first, then what has destinations of its own; a label stands in the place of a monitor. */
export function shownRoutes({ loaded, originOf }: InForce, kept: readonly KeptTable[]): ShownRoute[] {
  const { team, labels, applications } = loaded().config;
  const shown = (application: string | null, monitor: string | null, { destinations }: Routing): ShownRoute[] => {
    if (destinations === undefined) return [];
    const path =
      monitor === null
        ? routePath(application)
        : formatPath(
            application === null
              ? ["labels", monitor, "destinations"]
              : ["applications", application, "monitors", monitor, "destinations"],
          );
    const isKept = tableAt(kept, path) !== undefined;
    const named = application === null && monitor !== null ? `label:${monitor}` : monitor;
    return [{ application, monitor: named, destinations: [...destinations], from: originOf(path), kept: isKept }];
  };
  return [
    ...shown(null, null, team),
    ...[...labels].flatMap(([label, said]) => shown(null, label, said)),
    ...[...applications].flatMap(([slug, rules]) => [
      ...shown(slug, null, rules),
      ...[...rules.monitors].flatMap(([key, own]) => shown(slug, key, own)),
    ]),
  ];
}
