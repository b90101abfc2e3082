// The pages for people: an Elysia plugin with every route except those of the API for jobs. A new group of pages is one
// more `use` here.

import { Elysia } from "elysia";
import { isRefusal } from "../domain/errors.ts";
import type { MakePages, RequestOrigin } from "../http/handler.ts";
import { ownRoutes } from "./account/own-routes.tsx";
import { actRoutes } from "./acts/act-routes.tsx";
import { createToasts } from "./acts/done.ts";
import { createAdmission } from "./admission.ts";
import { assetRoutes } from "./assets/assets.ts";
import { auditRoutes } from "./audit/audit-routes.tsx";
import { createCatchUp } from "./catch-up.ts";
import { dayRoutes } from "./day/day-routes.tsx";
import { deliveryRoutes } from "./deliveries/delivery-routes.tsx";
import { healthRoutes } from "./health/health-routes.tsx";
import { incidentRoutes } from "./incidents/incident-routes.tsx";
import { editRoutes } from "./job/edit.tsx";
import { jobRoutes } from "./job/job-routes.tsx";
import { newJobRoutes } from "./job/new-job.tsx";
import { whyRoutes } from "./job/why-page.tsx";
import { keysRoutes } from "./keys/keys-routes.tsx";
import { createEventStreams } from "./live/event-stream.ts";
import { createLive, createNews } from "./live/live.ts";
import { createSeats } from "./live/seats.ts";
import { maintenanceRoutes } from "./maintenance/maintenance-routes.tsx";
import { overviewRoutes } from "./overview/overview-routes.tsx";
import type { PagesSettings } from "./pages-parts.ts";
import { methodsOfPaths } from "./path-methods.ts";
import { peopleRoutes } from "./people/people-routes.tsx";
import { FORMS, formOf, pathBack } from "./posted-form.ts";
import { replyRoutes } from "./public/reply-routes.tsx";
import { statusRoutes } from "./public/status-routes.tsx";
import { refusalPage } from "./refusal-page.tsx";
import { redirect } from "./response.ts";
import { settingsRoutes } from "./settings/settings-routes.tsx";
import { keepTheme } from "./theme.ts";
import type { Viewer, ViewerOf } from "./viewer.ts";

export const createPages =
  ({ viewersAt, ...settings }: PagesSettings): MakePages =>
  (requestOrigin) => {
    const viewerOf = viewersAt(requestOrigin);
    const stopping = new AbortController();
    const seats = createSeats();
    const parts = {
      ...settings,
      viewerOf,
      requestOrigin,
      seats,
      toasts: createToasts(),
      openStream: createEventStreams(),
      stopping: stopping.signal,
      news: createNews(settings.engine.changes),
      watch: createLive({ ...settings, scheduler: settings.engine.scheduler }),
      livePages: [],
      catchUp: createCatchUp(settings.engine.scheduler, settings.engine.views.board, settings.after, stopping.signal),
    };
    const routes = new Elysia({ name: "pages" })
      .use(assetRoutes)
      .use(themeRoutes)
      .use(ownRoutes(parts))
      .use(overviewRoutes(parts))
      .use(dayRoutes(parts))
      .use(jobRoutes(parts))
      .use(editRoutes(parts))
      .use(newJobRoutes(parts))
      .use(whyRoutes(parts))
      .use(incidentRoutes(parts))
      .use(maintenanceRoutes(parts))
      .use(actRoutes(parts))
      .use(deliveryRoutes(parts))
      .use(keysRoutes(parts))
      .use(healthRoutes(parts))
      .use(peopleRoutes(parts))
      .use(auditRoutes(parts))
      .use(settingsRoutes(parts))
      .use(replyRoutes(parts))
      .use(statusRoutes(parts, requestOrigin));
    return {
      routes,
      allowed: methodsOfPaths(routes),
      admit: createAdmission(viewerOf, seats, settings.clock, settings.engine.scheduler),
      stop: () => stopping.abort(),
      refused: (request, refusal, more) => refusalPage(request, refusal, seen(viewerOf, requestOrigin, request), more),
    };
  };

/**
 * The person who will see a refusal. Returns `null` for a visitor who has not signed in, for a foreign host name, and
 * when the session cannot be read.
 */
function seen(viewerOf: ViewerOf, requestOrigin: RequestOrigin, request: Request): Viewer | null {
  try {
    return requestOrigin.refuseHost(request) === null ? viewerOf(request, null) : null;
  } catch {
    return null;
  }
}

// Stores a person's choice of light, dark or high contrast, and goes back to the page where the person was.

/** These routes need no sign-in, because the sign-in page offers the choice, too. */
const themeRoutes = new Elysia({ name: "theme" }).use(FORMS).post("/theme", async ({ request }) => {
  const form = await formOf(request);
  if (isRefusal(form)) return refusalPage(request, form, null);
  return redirect(pathBack(form.get("back")), { "set-cookie": keepTheme(form.get("theme") ?? undefined) });
});
