// The forms that change something: each is done, and leads back to the page that it stands on.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { MINUTE, SECOND } from "../../domain/time.ts";
import type { Engine } from "../../engine/engine.ts";
import { redirect } from "../answer.tsx";
import { pathBack, RAW } from "../form.ts";
import type { PagesParts } from "../pages-parts.ts";
import { answerForm } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { asActor, type Viewer } from "../viewer.ts";
import { instantOf } from "../zone.ts";

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

// What the forms of pages ask, as the person who sent them: through the table of operations alone, which says what it
// takes. Answers why not, or null.

interface ActingViewer {
  readonly engine: Engine;
  readonly viewer: Viewer;
}

export interface OneJob {
  readonly application: string;
  readonly key: string;
}

function pause({ engine, viewer }: ActingViewer, { application, key }: OneJob, form: URLSearchParams): Refusal | null {
  const durationSeconds = lengthIn({ engine, viewer }, { application, key }, form);
  if (isRefusal(durationSeconds)) return durationSeconds;
  const reason = form.get("reason")?.trim() || null;
  return refusalIn(engine.as(asActor(viewer)).operate("monitor pause", { application, key, durationSeconds, reason }));
}

/** Its length in seconds, or from its end in the zone of the job; null: it has none. */
function lengthIn({ engine, viewer }: ActingViewer, job: OneJob, form: URLSearchParams): number | null | Refusal {
  const until = form.get("until");
  const seconds = form.get("seconds") ?? "";
  if (until === null) return seconds === "" ? null : Number(seconds);
  const monitor = engine.as(asActor(viewer)).operate("monitor show", job);
  if (isRefusal(monitor)) return monitor;
  const at = instantOf(until, monitor.timezone);
  const { now } = engine.views.viewContext();
  if (at === null || at < now + MINUTE)
    return refuse("INVALID_REQUEST", `until: ${JSON.stringify(until.slice(0, 40))} must be a minute in the future`);
  return Math.round((at - now) / SECOND);
}

const resume = ({ engine, viewer }: ActingViewer, { application, key }: OneJob): Refusal | null =>
  refusalIn(engine.as(asActor(viewer)).operate("monitor resume", { application, key }));

const remove = ({ engine, viewer }: ActingViewer, { application, key }: OneJob): Refusal | null =>
  refusalIn(engine.as(asActor(viewer)).operate("monitor delete", { application, key }));

const onIncident = (
  { engine, viewer }: ActingViewer,
  name: "incident ack" | "incident resolve",
  id: number,
): Refusal | null =>
  Number.isSafeInteger(id)
    ? refusalIn(engine.as(asActor(viewer)).operate(name, { id }))
    : refuse("NOT_FOUND", "there is no such incident");

const refusalIn = (answer: object | Refusal): Refusal | null => (isRefusal(answer) ? answer : null);
