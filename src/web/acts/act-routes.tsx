// Handles the buttons that change something. Each runs an operation as the person who clicked it, and then the browser
// goes back to the page with the button.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { doInPieces } from "../../http/yield.ts";
import { PLAN_AMONG } from "../maintenance/maintenance-routes.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { ACKNOWLEDGE_ALL_PATH, ACT_ON_SELECTED_PATH, type JobAddress } from "../paths.ts";
import { pathBack } from "../posted-form.ts";
import { type FormOf, readForm, refusalWithFieldLabel } from "../read-form.ts";
import { redirect } from "../response.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { viewerMayAs } from "../viewer.ts";

export function actRoutes(parts: PagesParts) {
  const { scheduler } = parts.engine;
  const done = (asking: Asking, act: (form: URLSearchParams) => object | Refusal, to: string | null = null) =>
    withForm(asking, (form) => {
      const answer = act(form);
      return isRefusal(answer) ? answer : redirect(to ?? pathBack(form.get("back")));
    });

  return new Elysia({ name: "acts" })
    .use(signedIn(parts))
    .post(ACT_ON_SELECTED_PATH, ({ asking }) =>
      withForm(asking, (form) => doInPieces(scheduler, actOnMany(asking, form))),
    )
    .post(ACKNOWLEDGE_ALL_PATH, ({ asking }) =>
      withForm(asking, (form) => doInPieces(scheduler, acknowledgeMany(asking, form))),
    )
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
    .post("/incidents/:id/unack", ({ asking, params: { id } }) =>
      done(asking, () => onIncident(asking, "incident unack", Number(id))),
    )
    .post("/incidents/:id/resolve", ({ asking, params: { id } }) =>
      done(asking, () => onIncident(asking, "incident resolve", Number(id))),
    );
}

// Handles actions on many selected jobs. The operation runs for each job separately, as it does for a command that
// names many jobs.

/** How many jobs one action may concern; a page of the list has fewer. */
const MANY_MAX = 200;
const NAMED_MAX = 3;

function* actOnMany(asking: Asking, form: URLSearchParams): InPieces<Response | Refusal> {
  const [act = "", lasts = ""] = (form.get("do") ?? "").split(":");
  const jobs = form.getAll("job");
  if (!viewerMayAs(asking.viewer, "operator")) return refuse("ACCESS_DENIED", "only operators may do that");
  if (jobs.length === 0) return refuse("INVALID_REQUEST", "no job is selected");
  if (jobs.length > MANY_MAX) return refuse("INVALID_REQUEST", `job: at most ${MANY_MAX} at once`);
  const addresses = jobs.map((job): JobAddress => {
    const [application = "", ...key] = job.split("/");
    return { application, key: key.join("/") };
  });
  if (act === "maintenance") return planFor(asking, form, addresses);
  const refused: string[] = [];
  for (const address of addresses) {
    const answer = doTo(asking, address, act, new URLSearchParams([...form, ["durationSeconds", lasts]]));
    if (answer === null) return refuse("INVALID_REQUEST", "do: it must be ack, label, maintenance, pause or resume");
    if (isRefusal(answer)) refused.push(`${address.key}: ${answer.message}`);
    yield;
  }
  if (refused.length === 0) return redirect(pathBack(form.get("back")));
  const more = refused.length > NAMED_MAX ? `; and ${refused.length - NAMED_MAX} more` : "";
  const named = refused.slice(0, NAMED_MAX).join("; ");
  return refuse("INVALID_REQUEST", `${refused.length} of ${jobs.length} were left as they are: ${named}${more}`);
}

/** Plans a maintenance of the selected jobs: one for each application that they belong to. */
function planFor(asking: Asking, form: URLSearchParams, jobs: readonly JobAddress[]): Response | Refusal {
  const done: string[] = [];
  for (const [application, some] of Map.groupBy(jobs, (job) => job.application)) {
    const read = readForm(PLAN_AMONG, form);
    const monitors = some.map(({ key }) => key);
    const planned = isRefusal(read) ? read : asking.operate("maintenance plan", { ...read, application, monitors });
    if (isRefusal(planned)) {
      const wrong = refusalWithFieldLabel(PLAN_AMONG, planned);
      return done.length === 0
        ? wrong
        : { ...wrong, message: `${application}: ${wrong.message}; it is planned for ${done.join(", ")}` };
    }
    done.push(application);
  }
  return redirect(pathBack(form.get("back")));
}

/** Runs one action on one job; returns `null` when `act` names no action. */
function doTo(asking: Asking, job: JobAddress, act: string, form: URLSearchParams): object | Refusal | null {
  const { operate } = asking;
  if (act === "pause") return pause(asking, job, form);
  if (act === "label") return label(asking, job, form);
  if (act === "resume") return operate("monitor resume", job);
  if (act !== "ack") return null;
  const open = operate("incident list", { application: job.application, monitor: job.key, open: true, limit: 1 });
  if (isRefusal(open)) return open;
  const [incident] = open.incidents;
  return incident === undefined ? open : operate("incident ack", { id: incident.id });
}

const LABELS = { operation: "monitor set", fields: ["labels"] } satisfies FormOf<"monitor set">;

function label({ operate }: Asking, job: JobAddress, form: URLSearchParams): object | Refusal {
  const read = readForm(LABELS, form);
  return isRefusal(read) ? read : operate("monitor set", { ...job, labels: addedLabels(read.labels ?? "") });
}

/**
 * Puts `+` before each label that has neither `+` nor `-`, because `+` adds a label and `-` removes one: each job keeps
 * its other labels.
 */
const addedLabels = (labels: string): string => labels.replaceAll(/(?<=^|[\s,])(?=[^\s,+-])/g, "+");

/**
 * Acknowledges the incidents that the page showed, but none that was opened later. Each step acknowledges as many as
 * one operation takes.
 */
function* acknowledgeMany({ operate, viewer }: Asking, form: URLSearchParams): InPieces<Response | Refusal> {
  // An empty list must reach the operation, which refuses it. If it counted as left out, all incidents would be
  // acknowledged.
  const only = form.get("only");
  for (const application of viewer.applications ?? [null]) {
    for (let left = 1; left > 0; ) {
      const answer = operate("incident ack-all", { application, only });
      if (isRefusal(answer)) return answer;
      left = answer.left;
      yield;
    }
  }
  return redirect(pathBack(form.get("back")));
}

const PAUSE = { operation: "monitor pause", fields: ["durationSeconds", "reason"] } satisfies FormOf<"monitor pause">;

function pause({ operate }: Asking, { application, key }: JobAddress, form: URLSearchParams): object | Refusal {
  const read = readForm(PAUSE, form);
  return isRefusal(read) ? read : operate("monitor pause", { application, key, ...read });
}

const onIncident = (
  { operate }: Asking,
  name: "incident ack" | "incident unack" | "incident resolve",
  id: number,
): object | Refusal =>
  Number.isSafeInteger(id) ? operate(name, { id }) : refuse("NOT_FOUND", "there is no such incident");
