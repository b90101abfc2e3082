// `/day`: what all jobs did in the last day or week, and what they will do next.

import { Elysia } from "elysia";
import { pageAnswer } from "../answer.tsx";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { signedIn } from "../signed-in.ts";
import { inTurns } from "../turns.ts";
import { zoneOf } from "../zone.ts";
import { dayView } from "./day.ts";
import { DayPage } from "./day-page.tsx";
import { DAY_PATH, readQuery } from "./query.ts";

export function dayRoutes({ engine, viewerOf, clock, catchUp }: PagesParts) {
  return new Elysia({ name: "day" }).use(signedIn(viewerOf)).get(DAY_PATH, async ({ request, viewer }) => {
    await catchUp();
    const query = readQuery(new URL(request.url).searchParams, clock.now());
    const zone = zoneOf(request, engine.bearings().timezone);
    const view = await inTurns(dayView(engine, viewer, query, zone));
    return pageAnswer(request, <DayPage view={view} viewer={viewer} look={lookOf(request)} />);
  });
}
