// The lists of destinations that change with a destination that an operation adds, renames or removes (R31, R38), and
// the settings of one that changes. Pure.

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
 * The lists that name a new destination: that of the application alone, or the team's. A rota hears in the place of its
 * turns.
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

/** The turns that a rota names; empty: the piece is no rota. */
const turnsOf = ({ settings }: KeptPiece): string[] =>
  settings["type"] === "rota" ? commaList(settings["turns"]) : [];

/** The lists that have this name, with others in its place. */
const routesNaming = (kept: readonly KeptPiece[], name: string, instead: readonly string[]): KeptPiece[] =>
  kept
    .filter((piece) => isRoute(piece) && routeDestinations(piece).includes(name))
    .map((route) => {
      const names = routeDestinations(route).flatMap((other) => (other === name ? instead : [other]));
      return routeTo(route.name, names);
    });

/** The lists and rotas that name the destination, by its new name. */
export const namingRenamed = (kept: readonly KeptPiece[], from: string, to: string): KeptPiece[] => [
  ...routesNaming(kept, from, [to]),
  ...kept.flatMap((piece): KeptPiece | readonly [] => {
    const turns = turnsOf(piece);
    if (!turns.includes(from)) return [];
    const renamed = turns.map((name) => (name === from ? to : name)).join();
    return { ...piece, settings: { ...piece.settings, turns: renamed } };
  }),
];

/** Where an application has no destination left, its alerts go to the team's. */
export function routesWithout(kept: readonly KeptPiece[], name: string) {
  const isEmpty = (route: KeptPiece): boolean => route.name !== TEAM_ROUTE && routeDestinations(route).length === 0;
  const routes = routesNaming(kept, name, []);
  return { save: routes.filter((route) => !isEmpty(route)), remove: routes.filter(isEmpty).map((route) => route.name) };
}

/** An empty text takes a setting back. Of a key and its `_file` the one that is given holds. */
export function settingsWith(before: KeptPiece["settings"], given: KeptPiece["settings"]): KeptPiece["settings"] {
  const named = new Set(Object.keys(given).map(ownerOf));
  const others = Object.entries(before).filter(([key]) => !named.has(ownerOf(key)));
  return Object.fromEntries([...others, ...Object.entries(given).filter(([, value]) => value !== "")]);
}

/** The first secret that is not given again, though it would go to another url; null: there is none. */
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
