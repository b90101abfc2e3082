// `/own-health`: how rollcall itself is. Whether it is ready is for programs to ask elsewhere (`/readyz`).

import { Elysia } from "elysia";
import { pageAnswer } from "../answer.tsx";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { signedIn } from "../signed-in.ts";
import { mayAs } from "../viewer.ts";
import { HEALTH_PATH, HealthPage } from "./health-page.tsx";

export function healthRoutes({ engine, viewerOf, clock, version }: PagesParts) {
  const startedAt = clock.now();
  return new Elysia({ name: "health" }).use(signedIn(viewerOf)).get(HEALTH_PATH, ({ request, viewer }) => {
    const seesAll = viewer.applications === null;
    const { signedIn: people, ...health } = engine.health();
    const page = (
      <HealthPage
        {...health}
        {...engine.bearings()}
        signedIn={seesAll && mayAs(viewer, "admin") ? people : null}
        troubles={engine.troubles(seesAll ? "operator" : "anyone")}
        version={version}
        startedAt={startedAt}
        viewer={viewer}
        look={lookOf(request)}
      />
    );
    return pageAnswer(request, page);
  });
}
