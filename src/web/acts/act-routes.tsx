// The forms that change something: each is done, and leads back to the page that it stands on.

import { Elysia } from "elysia";
import type { Refusal } from "../../domain/errors.ts";
import { redirect } from "../answer.tsx";
import { pathBack, RAW } from "../form.ts";
import type { PagesParts } from "../pages-parts.ts";
import { answerForm } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import type { Viewer } from "../viewer.ts";
import { onIncident, pause, remove, resume } from "./acts.ts";

export function actRoutes({ engine, ...parts }: PagesParts) {
  const done = (
    request: Request,
    viewer: Viewer,
    act: (form: URLSearchParams) => Refusal | null,
    to: string | null = null,
  ): Promise<Response> =>
    answerForm(request, viewer, (form) => act(form) ?? redirect(to ?? pathBack(form.get("back"))));

  return new Elysia({ name: "acts" })
    .use(signedIn(parts))
    .post(
      "/jobs/:application/:key/pause",
      ({ request, viewer, params }) => done(request, viewer, (form) => pause({ engine, viewer }, params, form)),
      RAW,
    )
    .post(
      "/jobs/:application/:key/resume",
      ({ request, viewer, params }) => done(request, viewer, () => resume({ engine, viewer }, params)),
      RAW,
    )
    .post(
      "/jobs/:application/:key/delete",
      ({ request, viewer, params }) => done(request, viewer, () => remove({ engine, viewer }, params), "/"),
      RAW,
    )
    .post(
      "/incidents/:id/ack",
      ({ request, viewer, params: { id } }) =>
        done(request, viewer, () => onIncident({ engine, viewer }, "incident ack", Number(id))),
      RAW,
    )
    .post(
      "/incidents/:id/resolve",
      ({ request, viewer, params: { id } }) =>
        done(request, viewer, () => onIncident({ engine, viewer }, "incident resolve", Number(id))),
      RAW,
    );
}
