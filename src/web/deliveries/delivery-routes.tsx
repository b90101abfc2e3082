// Serves `/deliveries` and what belongs to it: sending a delivery again, testing a destination, and the pages on which
// destinations and members are changed.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { livePage } from "../live/live-page.ts";
import type { PagesParts } from "../pages-parts.ts";
import { DELIVERIES_PATH, DESTINATIONS_PATH, rowIdIn } from "../paths.ts";
import { pathBack } from "../posted-form.ts";
import { type FormOf, readForm } from "../read-form.ts";
import { redirect } from "../response.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { deliveriesPage, deliveriesShown, deliveryListsOf } from "./deliveries-page.tsx";
import { changeDestination, destinationPage, removePage, renameDestination } from "./destination-page.tsx";
import { addDestination, destinationsPage } from "./destinations-page.tsx";
import { addMember, removeMemberPage, setRoute } from "./told-part.tsx";

const ONE = `${DESTINATIONS_PATH}/of/:name` as const;

const MEMBER = `${DESTINATIONS_PATH}/members/of/:email/remove` as const;

const NONE = refuse("NOT_FOUND", "there is no such delivery, or it is older than what is kept");

export function deliveryRoutes(parts: PagesParts) {
  const page = livePage(parts, {
    at: DELIVERIES_PATH,
    look: deliveryListsOf,
    shown: deliveriesShown,
    page: deliveriesPage,
  });
  return new Elysia({ name: "deliveries" })
    .use(signedIn(parts))
    .get(DELIVERIES_PATH, ({ asking }) => page(asking, {}))
    .get(DESTINATIONS_PATH, ({ asking }) => destinationsPage(asking))
    .post(DESTINATIONS_PATH, ({ asking }) => withForm(asking, (form) => addDestination(asking, form, parts.after)))
    .post(`${DESTINATIONS_PATH}/told`, ({ asking }) => withForm(asking, (form) => toList(setRoute(asking, form))))
    .post(`${DESTINATIONS_PATH}/members`, ({ asking }) =>
      withForm(asking, (form) => addMember(asking, form, (refused) => destinationsPage(asking, null, refused))),
    )
    .get(MEMBER, ({ asking, params: { email } }) => removeMemberPage(asking, email))
    .post(MEMBER, ({ asking, params: { email } }) => toList(asking.operate("member remove", { email })))
    .get(ONE, ({ asking, params: { name } }) => destinationPage(asking, name))
    .post(ONE, ({ asking, params: { name } }) =>
      withForm(asking, (form) => changeDestination(asking, name, form, parts.after)),
    )
    .post(`${ONE}/rename`, ({ asking, params: { name } }) =>
      withForm(asking, (form) => renameDestination(asking, name, form)),
    )
    .get(`${ONE}/remove`, ({ asking, params: { name } }) => removePage(asking, name))
    .post(`${ONE}/remove`, ({ asking, params: { name } }) => toList(asking.operate("destination remove", { name })))
    .post(`${DELIVERIES_PATH}/test`, ({ asking }) => done(asking, (form) => test(asking, form)))
    .post(`${DELIVERIES_PATH}/:id/resend`, ({ asking, params: { id } }) => done(asking, () => resend(asking, id)));
}

/** Acts, then sends the browser back to the page with the button, to the delivery that `act` returned. */
const done = (asking: Asking, act: (form: URLSearchParams) => { readonly id: number } | Refusal) =>
  withForm(asking, (form) => {
    const found = act(form);
    return isRefusal(found) ? found : redirect(`${pathBack(form.get("back"))}#delivery-${found.id}`);
  });

const toList = (done: object | null): Response | Refusal =>
  done !== null && isRefusal(done) ? done : redirect(DESTINATIONS_PATH);

const TEST = { operation: "notify test", fields: ["destination"] } satisfies FormOf<"notify test">;

function test({ operate }: Asking, form: URLSearchParams): { readonly id: number } | Refusal {
  const read = readForm(TEST, form);
  const tested = isRefusal(read) ? read : operate("notify test", read);
  return isRefusal(tested) ? tested : tested.deliveries[0]!;
}

function resend({ operate }: Asking, given: string): { readonly id: number } | Refusal {
  const id = rowIdIn(given);
  const resent = id === null ? NONE : operate("notify resend", { id });
  return isRefusal(resent) ? resent : resent.delivery;
}
