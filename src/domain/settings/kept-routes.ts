// Changes the lists of destinations when an operation adds, renames or removes a destination (R31, R38), and merges the
// settings of a destination that changes. Pure.

import {
  commaList,
  destinationIn,
  isRoute,
  type KeptPiece,
  pieceNamed,
  routeDestinations,
  routePiece,
  routeTo,
  TEAM_ROUTE,
} from "./kept.ts";

/**
 * The lists that must name a new destination: the application's list, or the team's when there is no application. A
 * rota replaces its turns in the list.
 */
export function routesWith(kept: readonly KeptPiece[], added: KeptPiece, application: string | null): KeptPiece[] {
  const name = destinationIn(added.name)!;
  const turns = turnsOf(added);
  const others = routeDestinations(pieceNamed(kept, TEAM_ROUTE)).filter(
    (other) => other !== name && !turns.includes(other),
  );
  if (application === null) return [routeTo(TEAM_ROUTE, [...others, name])];
  const route = routePiece(application);
  const own = routeDestinations(pieceNamed(kept, route)).filter((other) => !turns.includes(other));
  return [routeTo(TEAM_ROUTE, others), routeTo(route, [...own, name])];
}

/** The turns that a rota names; empty when the piece is not a rota. */
const turnsOf = ({ settings }: KeptPiece): string[] =>
  settings["type"] === "rota" ? commaList(settings["turns"]) : [];

/** The lists that have this name, with the names of `instead` in its place. */
const routesNaming = (kept: readonly KeptPiece[], name: string, instead: readonly string[]): KeptPiece[] =>
  kept
    .filter((piece) => isRoute(piece) && routeDestinations(piece).includes(name))
    .map((route) => {
      const names = routeDestinations(route).flatMap((other) => (other === name ? instead : [other]));
      return routeTo(route.name, names);
    });

/** The lists and rotas that name the destination, changed to its new name. */
export const namingRenamed = (kept: readonly KeptPiece[], from: string, to: string): KeptPiece[] => [
  ...routesNaming(kept, from, [to]),
  ...kept.flatMap((piece): KeptPiece | readonly [] => {
    const turns = turnsOf(piece);
    if (!turns.includes(from)) return [];
    const renamed = turns.map((name) => (name === from ? to : name)).join();
    return { ...piece, settings: { ...piece.settings, turns: renamed } };
  }),
];

/**
 * The lists without the destination. An application's list that becomes empty is removed, so its alerts go to the
 * team's.
 */
export function routesWithout(kept: readonly KeptPiece[], name: string) {
  const isEmpty = (route: KeptPiece): boolean => route.name !== TEAM_ROUTE && routeDestinations(route).length === 0;
  const routes = routesNaming(kept, name, []);
  return { save: routes.filter((route) => !isEmpty(route)), remove: routes.filter(isEmpty).map((route) => route.name) };
}

/**
 * Merges given settings over the kept ones. An empty text takes a setting back. A key and its `_file` are one setting:
 * the one that is given counts.
 */
export function settingsWith(before: KeptPiece["settings"], given: KeptPiece["settings"]): KeptPiece["settings"] {
  const named = new Set(Object.keys(given).map(ownerOf));
  const others = Object.entries(before).filter(([key]) => !named.has(ownerOf(key)));
  return Object.fromEntries([...others, ...Object.entries(given).filter(([, value]) => value !== "")]);
}

/** The first secret that would be sent to another URL without being given again; `null` when there is none. */
export function secretLedElsewhere(
  before: KeptPiece["settings"],
  given: KeptPiece["settings"],
  secretKeys: readonly string[],
): string | null {
  const now = settingsWith(before, given);
  if (["url", "url_file"].every((key) => before[key] === now[key])) return null;
  return Object.keys(now).find((key) => secretKeys.includes(ownerOf(key)) && !(key in given)) ?? null;
}

const ownerOf = (key: string): string => key.replace(/_file$/, "");
