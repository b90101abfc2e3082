// `/deliveries` and the connection that keeps it true, and what can be done there: send one again, test a destination.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { pageAnswer, redirect } from "../answer.tsx";
import { pathBack, RAW } from "../form.ts";
import { applicationsFor } from "../list-query.ts";
import { liveAnswer } from "../live/live-page.ts";
import { LIVE, type Shown } from "../live/live-part.tsx";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { DELIVERIES_PATH } from "../paths.ts";
import { answerForm } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { inTurns } from "../turns.ts";
import { asActor, type Viewer } from "../viewer.ts";
import {
  DELIVERIES_LIST,
  DeliveriesPage,
  type DeliveryLists,
  deliveriesShown,
  deliveryListsOf,
} from "./deliveries-page.tsx";

const NONE = refuse("NOT_FOUND", "there is no such delivery, or it is older than what is kept");

export function deliveryRoutes(parts: PagesParts) {
  const { engine } = parts;

  function* listsOf(request: Request, viewer: Viewer): InPieces<{ lists: DeliveryLists; shown: Shown }> {
    const lists = yield* deliveryListsOf(engine, viewer, DELIVERIES_LIST.read(new URL(request.url).searchParams));
    return { lists, shown: yield* deliveriesShown(lists, viewer) };
  }

  function* pageOf(request: Request, viewer: Viewer): InPieces<Response> {
    const listed = yield* listsOf(request, viewer);
    yield;
    const applications = applicationsFor(engine, viewer);
    const page = <DeliveriesPage viewer={viewer} look={lookOf(request)} {...listed} applications={applications} />;
    return pageAnswer(request, page);
  }

  /** Leads back to the page, to the delivery that the answer is about. */
  const done = (
    request: Request,
    viewer: Viewer,
    act: (form: URLSearchParams) => { readonly id: number } | Refusal,
  ): Promise<Response> =>
    answerForm(request, viewer, (form) => {
      const found = act(form);
      return isRefusal(found) ? found : redirect(`${pathBack(form.get("back"))}#delivery-${found.id}`);
    });

  function test(viewer: Viewer, form: URLSearchParams): { readonly id: number } | Refusal {
    const destination = form.get("destination") ?? "";
    const tested = engine.as(asActor(viewer)).operate("notify test", { destination });
    return isRefusal(tested) ? tested : tested.deliveries[0]!;
  }

  function resend(viewer: Viewer, given: string): { readonly id: number } | Refusal {
    const id = /^[1-9]\d{0,14}$/.test(given) ? Number(given) : null;
    if (id === null) return NONE;
    const resent = engine.as(asActor(viewer)).operate("notify resend", { id });
    return isRefusal(resent) ? resent : resent.delivery;
  }

  return new Elysia({ name: "deliveries" })
    .use(signedIn(parts))
    .get(DELIVERIES_PATH, ({ request, viewer }) => inTurns(pageOf(request, viewer)))
    .get(LIVE + DELIVERIES_PATH, ({ request, server, viewer }) =>
      liveAnswer(parts, { request, server, viewer }, null, function* () {
        return (yield* listsOf(request, viewer)).shown;
      }),
    )
    .post(`${DELIVERIES_PATH}/test`, ({ request, viewer }) => done(request, viewer, (form) => test(viewer, form)), RAW)
    .post(
      `${DELIVERIES_PATH}/:id/resend`,
      ({ request, viewer, params: { id } }) => done(request, viewer, () => resend(viewer, id)),
      RAW,
    );
}
