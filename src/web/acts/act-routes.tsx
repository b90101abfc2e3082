// The forms that change something: each is done through the table of operations, which says what it takes, as the
// person who sent it, and leads back to the page that it stands on.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { MINUTE, SECOND } from "../../domain/time.ts";
import { redirect } from "../answer.ts";
import { pathBack } from "../form.ts";
import type { PagesParts } from "../pages-parts.ts";
import type { JobAddress } from "../paths.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { instantOf } from "../zone.ts";

export function actRoutes(parts: PagesParts) {
  const done = (asking: Asking, act: (form: URLSearchParams) => object | Refusal, to: string | null = null) =>
    withForm(asking, (form) => {
      const answer = act(form);
      return isRefusal(answer) ? answer : redirect(to ?? pathBack(form.get("back")));
    });

  return new Elysia({ name: "acts" })
    .use(signedIn(parts))
    .post("/jobs/:application/:key/pause", ({ asking, params }) => done(asking, (form) => pause(asking, params, form)))
    .post("/jobs/:application/:key/resume", ({ asking, params: { application, key } }) =>
      done(asking, () => asking.operate("monitor resume", { application, key })),
    )
    .post("/jobs/:application/:key/delete", ({ asking, params: { application, key } }) =>
      done(asking, () => asking.operate("monitor delete", { application, key }), "/"),
    )
    .post("/incidents/:id/ack", ({ asking, params: { id } }) =>
      done(asking, () => onIncident(asking, "incident ack", Number(id))),
    )
    .post("/incidents/:id/resolve", ({ asking, params: { id } }) =>
      done(asking, () => onIncident(asking, "incident resolve", Number(id))),
    );
}

function pause(asking: Asking, { application, key }: JobAddress, form: URLSearchParams): object | Refusal {
  const durationSeconds = lengthIn(asking, { application, key }, form);
  if (isRefusal(durationSeconds)) return durationSeconds;
  const reason = form.get("reason")?.trim() || null;
  return asking.operate("monitor pause", { application, key, durationSeconds, reason });
}

/** Its length in seconds, or from its end in the zone of the job; null: it has none. */
function lengthIn({ engine, operate }: Asking, job: JobAddress, form: URLSearchParams): number | null | Refusal {
  const until = form.get("until");
  const seconds = form.get("seconds") ?? "";
  if (until === null) return seconds === "" ? null : Number(seconds);
  const monitor = operate("monitor show", job);
  if (isRefusal(monitor)) return monitor;
  const at = instantOf(until, monitor.timezone);
  const { now } = engine.views.viewContext();
  if (at === null || at < now + MINUTE)
    return refuse("INVALID_REQUEST", `until: ${JSON.stringify(until.slice(0, 40))} must be a minute in the future`);
  return Math.round((at - now) / SECOND);
}

const onIncident = ({ operate }: Asking, name: "incident ack" | "incident resolve", id: number): object | Refusal =>
  Number.isSafeInteger(id) ? operate(name, { id }) : refuse("NOT_FOUND", "there is no such incident");
