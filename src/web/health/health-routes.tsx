// `/own-health`: how rollcall itself is. Whether it is ready is for programs to ask elsewhere (`/readyz`).

import { Elysia } from "elysia";
import { isRefusal } from "../../domain/errors.ts";
import type { SelfPingHealth } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import type { BackupList } from "../../views/answers/backups.ts";
import { pageAnswer } from "../answer.tsx";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { signedIn } from "../signed-in.ts";
import { asActor, mayAs, type Viewer } from "../viewer.ts";
import { HEALTH_PATH, HealthPage } from "./health-page.tsx";

const backupsFor = (engine: Engine, viewer: Viewer): BackupList | null => {
  const listed = engine.as(asActor(viewer)).operate("backups", {});
  return isRefusal(listed) ? null : listed;
};

/** Why it was not told may name destinations. */
const withoutWhy = (health: SelfPingHealth | null): SelfPingHealth | null =>
  health && { ...health, last: health.last && { ...health.last, why: null } };

export function healthRoutes({ engine, clock, version, troubles, selfPing, ...parts }: PagesParts) {
  const startedAt = clock.now();
  return new Elysia({ name: "health" }).use(signedIn(parts)).get(HEALTH_PATH, ({ request, viewer }) => {
    const seesAll = viewer.applications === null;
    const { signedIn: people, ...health } = engine.views.health();
    const page = (
      <HealthPage
        {...health}
        {...engine.views.viewContext()}
        signedIn={seesAll && mayAs(viewer, "admin") ? people : null}
        troubles={troubles(seesAll ? "operator" : "anyone")}
        backups={seesAll && mayAs(viewer, "admin") ? backupsFor(engine, viewer) : null}
        selfPing={seesAll ? selfPing() : withoutWhy(selfPing())}
        version={version}
        startedAt={startedAt}
        viewer={viewer}
        look={lookOf(request)}
      />
    );
    return pageAnswer(request, page);
  });
}
