// Decides what an import does with destinations, and with the lists of destinations to which alerts go: a monitor's
// own, the application's and the team's (R31, R38). A destination that exists here already is not changed, but such a
// list may be. This file only reads.

import Type from "typebox";
import { isSlug } from "../../domain/api-key.ts";
import { IMPORTED_MAX } from "../../domain/limits.ts";
import {
  destinationSectionName,
  type KeptSection,
  makeRouteSection,
  routeDestinations,
  routeSectionName,
  TEAM_ROUTE,
} from "../../domain/settings/kept.ts";
import type { ImportAnswer } from "../../views/schemas/address-schemas.ts";
import { BOOLEAN, namedValues, nullable, object, TEXT } from "../../views/schemas/schema-kinds.ts";
import type { Asked, OperationContext } from "./operation.ts";

export const ROUTING_INPUT = {
  destinations: Type.Array(object({ name: TEXT, settings: nullable(namedValues(TEXT)), byDefault: BOOLEAN }), {
    maxItems: 100,
    secret: true,
    default: [],
    description: "where the other service sends: the type and its settings; null: they are not known",
  }),
  tells: Type.Array(object({ key: TEXT, destinations: Type.Array(TEXT, { maxItems: 100 }) }), {
    maxItems: IMPORTED_MAX,
    default: [],
    description: "which of these are told of each monitor",
  }),
};

type AskedRouting = Asked<typeof ROUTING_INPUT>;
type JudgedRouting = Pick<ImportAnswer, "destinations" | "routes"> & Readonly<{ save: readonly KeptSection[] }>;

/**
 * Decides what the import does with destinations and lists. `here` maps the key of each monitor at the other service to
 * its key here; a monitor that is not imported is missing.
 */
export function judgeRouting(
  context: OperationContext,
  application: string,
  { destinations, tells }: AskedRouting,
  here: ReadonlyMap<string, string>,
): JudgedRouting {
  const { kept } = context;
  const judged = judgeDestinations(context, destinations);
  const usable = destinations.filter((_, place) => !["missing", "refused"].includes(judged[place]!.done));
  const defaults = usable.some(({ byDefault }) => byDefault) ? usable.filter(({ byDefault }) => byDefault) : usable;
  const told = defaults.map(({ name }) => name);
  const added = destinations.filter((_, place) => judged[place]!.done === "created");
  const routes = tells.flatMap(({ key: asked, destinations: names }) => {
    const key = here.get(asked);
    const own = usable.flatMap(({ name }) => (names.includes(name) ? name : []));
    if (key === undefined || own.length === 0 || own.join() === told.join()) return [];
    const route = makeRouteSection(routeSectionName(application, key), own);
    const before = kept.find(route.name);
    const isFile = before === null && kept.originOf(route.name) !== null;
    const isSame = before !== null && routeDestinations(before).toSorted().join() === own.toSorted().join();
    const done = isFile ? "overruled" : isSame ? "unchanged" : before === null ? "created" : "changed";
    return [{ route, answer: { key, destinations: own, done } as const }];
  });
  const changed = routes.filter(({ answer: { done } }) => done === "created" || done === "changed");
  const lists = defaultsWith(context, application, { added: added.map(({ name }) => name), told });
  const save = [...added.map(sectionOf), ...lists, ...changed.map(({ route }) => route)];
  return { destinations: judged, routes: routes.map(({ answer }) => answer), save };
}

/**
 * Makes the section of the configuration that is stored for a destination. Settings that name a file are left out,
 * because another service cannot know the files of this computer.
 */
const sectionOf = ({ name, settings }: AskedRouting["destinations"][number]): KeptSection => ({
  name: destinationSectionName(name),
  settings: Object.fromEntries(Object.entries(settings ?? {}).filter(([key]) => !key.endsWith("_file"))),
});

function judgeDestinations(
  { kept }: OperationContext,
  asked: AskedRouting["destinations"],
): JudgedRouting["destinations"] {
  const before = asked.map(({ name }) => kept.find(destinationSectionName(name)));
  const isNew = asked.map(({ name }, place) => !before[place] && kept.originOf(destinationSectionName(name)) === null);
  const brought = asked.filter(({ name, settings }, place) => isNew[place] && settings !== null && isSlug(name));
  const faults = new Map(kept.faultsIn(brought.map(sectionOf)).map((why, place) => [brought[place]!.name, why]));
  return asked.map((one, place) => {
    const { name, settings } = one;
    const why = isSlug(name) ? (faults.get(name) ?? null) : "it is no name of a destination";
    const isSame = settings === null || kept.isKept(sectionOf(one));
    const there = isSame ? "unchanged" : "other";
    return { name, why, done: why ? "refused" : !isNew[place] ? there : settings === null ? "missing" : "created" };
  });
}

/**
 * Returns the lists of destinations of the team and of the application that are stored when the import adds
 * destinations. With a single application, the team's list gets the new destinations. Otherwise the application's list
 * gets them, and the team's is stored as it was.
 */
function defaultsWith(
  { kept, store, policy }: OperationContext,
  application: string,
  { added, told }: Readonly<{ added: readonly string[]; told: readonly string[] }>,
): KeptSection[] {
  if (added.length === 0) return [];
  const news = added.filter((name) => told.includes(name));
  const before = routeDestinations(kept.find(TEAM_ROUTE));
  if (store.applications.count() === 1) return [makeRouteSection(TEAM_ROUTE, [...before, ...news])];
  const name = routeSectionName(application);
  const own = kept.find(name);
  // True when the application's list of destinations is in the configuration file. Then it cannot be changed here.
  const isFile = own === null && kept.originOf(name) !== null;
  const now = own === null ? policy.team.destinations : routeDestinations(own);
  return [
    makeRouteSection(TEAM_ROUTE, before),
    ...(isFile || news.length === 0 ? [] : [makeRouteSection(name, [...now, ...news])]),
  ];
}
