// Computes what an operation that adds, renames, removes or changes a destination must store (R31, R38): the lists of
// destinations, and the destination's settings. Pure.

import {
  destinationIn,
  isRoute,
  type KeptSection,
  keptCommaList,
  makeRouteSection,
  routeDestinations,
  routeSectionName,
  sectionNamed,
  TEAM_ROUTE,
} from "./kept.ts";

/**
 * The lists of destinations to store when a destination is added. Its name is added to the application's list, or to
 * the team's when `application` is `null`. If the new destination is a rota, the destinations that take turns in it are
 * removed from both lists. A destination that is added for an application is removed from the team's list.
 */
export function routesWith(
  kept: readonly KeptSection[],
  added: KeptSection,
  application: string | null,
): KeptSection[] {
  const name = destinationIn(added.name)!;
  const turns = turnsOf(added);
  const others = routeDestinations(sectionNamed(kept, TEAM_ROUTE)).filter(
    (other) => other !== name && !turns.includes(other),
  );
  if (application === null) return [makeRouteSection(TEAM_ROUTE, [...others, name])];
  const route = routeSectionName(application);
  const own = routeDestinations(sectionNamed(kept, route)).filter((other) => !turns.includes(other));
  return [makeRouteSection(TEAM_ROUTE, others), makeRouteSection(route, [...own, name])];
}

const turnsOf = ({ settings }: KeptSection): string[] =>
  settings["type"] === "rota" ? keptCommaList(settings["turns"]) : [];

/** Returns each list of destinations that has `name`, with the names of `instead` in its place. */
const routesNaming = (kept: readonly KeptSection[], name: string, instead: readonly string[]): KeptSection[] =>
  kept
    .filter((section) => isRoute(section) && routeDestinations(section).includes(name))
    .map((route) => {
      const names = routeDestinations(route).flatMap((other) => (other === name ? instead : [other]));
      return makeRouteSection(route.name, names);
    });

/** The lists and rotas that name the destination `from`, changed so that they name it `to`. */
export const namingRenamed = (kept: readonly KeptSection[], from: string, to: string): KeptSection[] => [
  ...routesNaming(kept, from, [to]),
  ...kept.flatMap((section): KeptSection | readonly [] => {
    const turns = turnsOf(section);
    if (!turns.includes(from)) return [];
    const renamed = turns.map((name) => (name === from ? to : name)).join();
    return { ...section, settings: { ...section.settings, turns: renamed } };
  }),
];

/**
 * The lists of destinations to store, and those to remove, when a destination goes. Any list but the team's is removed
 * when it becomes empty, so that the application's or the team's list counts instead.
 */
export function routesWithout(kept: readonly KeptSection[], name: string) {
  const isEmpty = (route: KeptSection): boolean => route.name !== TEAM_ROUTE && routeDestinations(route).length === 0;
  const routes = routesNaming(kept, name, []);
  return { save: routes.filter((route) => !isEmpty(route)), remove: routes.filter(isEmpty).map((route) => route.name) };
}

/**
 * The settings of a section of the configuration, such as a destination, after a change. A given empty text removes a
 * setting. A key and the key with `_file` are the same setting, so the given one replaces the other.
 */
export function keptSettingsWith(
  before: KeptSection["settings"],
  given: KeptSection["settings"],
): KeptSection["settings"] {
  const named = new Set(Object.keys(given).map(ownerOf));
  const others = Object.entries(before).filter(([key]) => !named.has(ownerOf(key)));
  return Object.fromEntries([...others, ...Object.entries(given).filter(([, value]) => value !== "")]);
}

/**
 * The first secret that would be sent to a new URL although it was not given again; `null` when there is none. At a new
 * URL, whoever has set it could read the secret.
 */
export function keptSecretLedElsewhere(
  before: KeptSection["settings"],
  given: KeptSection["settings"],
  secretKeys: readonly string[],
): string | null {
  const now = keptSettingsWith(before, given);
  if (["url", "url_file"].every((key) => before[key] === now[key])) return null;
  return Object.keys(now).find((key) => secretKeys.includes(ownerOf(key)) && !(key in given)) ?? null;
}

const ownerOf = (key: string): string => key.replace(/_file$/, "");
