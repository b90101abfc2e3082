// Which destinations hear of what: lists that operations keep, and what is in force (R38). Pure.

import { formatPath } from "../../config/fault.ts";
import { namesOf } from "../../config/kept-tables.ts";
import { routePath, TEAM_ROUTE } from "../../domain/settings/kept.ts";
import type { KeptTable, Routing } from "../../domain/settings/policy.ts";
import type { KeptChange, ShownRoute } from "../../engine/reloads.ts";
import { type InForce, settingOf } from "./in-force.ts";

const routeAt = (path: string, names: readonly string[]): KeptTable => ({
  path,
  settings: { "": [...new Set(names)].join() },
});

const isRoute = ({ path }: KeptTable): boolean => path.endsWith(".destinations");

/** The lists that change with a new destination: it hears of this application alone, or of all by default. */
export function routesWith(kept: readonly KeptTable[], name: string, application: string | null): KeptTable[] {
  const team = kept.find(({ path }) => path === TEAM_ROUTE);
  if (application === null) return team === undefined ? [] : [routeAt(TEAM_ROUTE, [...namesOf(team), name])];
  const byDefault =
    team === undefined ? kept.flatMap(({ path }) => settingOf("destinations", path) ?? []) : namesOf(team);
  const path = routePath(application);
  const own = kept.filter((table) => table.path === path).flatMap(namesOf);
  return [
    routeAt(
      TEAM_ROUTE,
      byDefault.filter((other) => other !== name),
    ),
    routeAt(path, [...own, name]),
  ];
}

export const routesRenamed = (kept: readonly KeptTable[], from: string, to: string): KeptTable[] =>
  kept
    .filter((table) => isRoute(table) && namesOf(table).includes(from))
    .map((table) =>
      routeAt(
        table.path,
        namesOf(table).map((name) => (name === from ? to : name)),
      ),
    );

/** An application without any of its own goes back to the team's. */
export function routesWithout(kept: readonly KeptTable[], name: string): Required<KeptChange> {
  const lists = kept
    .filter((table) => isRoute(table) && namesOf(table).includes(name))
    .map((table) =>
      routeAt(
        table.path,
        namesOf(table).filter((other) => other !== name),
      ),
    );
  const isEmpty = (table: KeptTable): boolean => table.path !== TEAM_ROUTE && namesOf(table).length === 0;
  return {
    save: lists.filter((table) => !isEmpty(table)),
    remove: lists.filter(isEmpty).map(({ path }) => path),
  };
}

/** The team's first, then what has destinations of its own. */
export function shownRoutes({ loaded, originOf }: InForce, kept: readonly KeptTable[]): ShownRoute[] {
  const { team, applications } = loaded().config;
  const shown = (application: string | null, monitor: string | null, { destinations }: Routing): ShownRoute[] => {
    if (destinations === undefined) return [];
    const path =
      application === null || monitor === null
        ? routePath(application)
        : formatPath(["applications", application, "monitors", monitor, "destinations"]);
    const isKept = kept.some((table) => table.path === path);
    return [{ application, monitor, destinations: [...destinations], from: originOf(path), kept: isKept }];
  };
  return [
    ...shown(null, null, team),
    ...[...applications].flatMap(([slug, rules]) => [
      ...shown(slug, null, rules),
      ...[...rules.monitors].flatMap(([key, own]) => shown(slug, key, own)),
    ]),
  ];
}
