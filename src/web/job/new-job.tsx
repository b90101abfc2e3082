// Makes a job before its first report, and brings deleted jobs back.

import { Elysia } from "elysia";
import type { Child } from "hono/jsx";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { zonesToOffer } from "../../domain/schedule/compiled-zones.ts";
import { LIST_MAX } from "../../engine/operations/fields.ts";
import type { DeletedList } from "../../views/schemas/monitor-schemas.ts";
import { pageResponse } from "../document.tsx";
import { applicationsFor } from "../list-query.ts";
import type { PagesParts } from "../pages-parts.ts";
import { Act, ButtonLink } from "../parts/act.tsx";
import { choicesOf, ShowAgain } from "../parts/field.tsx";
import { Ago, type Clocked } from "../parts/moment.tsx";
import { Form } from "../parts/operation-form.tsx";
import { jobPath, NEW_JOB_PATH } from "../paths.ts";
import { type FormOf, refusalWithFieldLabel, submitOperationForm } from "../read-form.ts";
import { redirect } from "../response.ts";
import { nameOnPage } from "../shown.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { viewerMayAs } from "../viewer.ts";
import { viewerZone } from "../viewer-zone.ts";
import { SlotsInLine } from "./facts.tsx";
import { MAKE_JOB, readSettingsForm } from "./settings-form.ts";

export const newJobRoutes = (parts: PagesParts) =>
  new Elysia({ name: "new-job" })
    .use(signedIn(parts))
    .get(NEW_JOB_PATH, ({ asking }) => newJobPage(asking, asking.search))
    .post(NEW_JOB_PATH, ({ asking }) =>
      withForm(asking, (form) =>
        submitOperationForm(asking, MAKE_JOB, form, {
          done: (made) => redirect(jobPath(made)),
          again: ({ wrong }) => newJobPage(asking, form, wrong),
        }),
      ),
    )
    .post("/jobs/:application/:key/rename", ({ asking, params }) =>
      withForm(asking, (form) =>
        submitOperationForm(asking, RENAME_JOB, form, {
          given: () => params,
          done: ({ monitor }) => redirect(jobPath(monitor)),
          again: ({ wrong }) => refusalWithFieldLabel(RENAME_JOB, wrong),
        }),
      ),
    )
    .post("/jobs/:application/:key/undelete", ({ asking, params: { application, key } }) => {
      const back = asking.operate("monitor undelete", { application, key });
      return isRefusal(back) ? back : redirect(jobPath(back.monitor));
    });

export const RENAME_JOB = { operation: "monitor rename", fields: ["newKey"] } satisfies FormOf<"monitor rename">;

function newJobPage(asking: Asking, typed: URLSearchParams, wrong: Refusal | null = null): Response | Refusal {
  const { engine, viewer } = asking;
  if (!viewerMayAs(viewer, "admin")) return refuse("ACCESS_DENIED", "only administrators may make a job");
  const { now } = engine.views.viewContext();
  const applications = applicationsFor(engine, viewer);
  const deleted = deletedIn(asking, applications);
  if (isRefusal(deleted)) return deleted;
  return pageResponse(
    asking,
    { title: "New job", status: wrong === null ? 200 : 400 },
    <section class="door">
      <h1 class="headline is-quiet">A new job.</h1>
      <NewJob
        {...{ applications, typed, wrong, now }}
        timezone={engine.views.timezone(typed.get("application") ?? applications[0] ?? "")}
      />
      <Deleted jobs={deleted} now={now} timezone={viewerZone(asking)} />
    </section>,
  );
}

/** What the form of a new job needs. `timezone` is the zone in which a schedule is read when no zone is typed (R13). */
type NewJobProps = Clocked &
  Readonly<{ applications: readonly string[]; typed: URLSearchParams; wrong: Refusal | null }>;

const NewJob = ({ applications, typed, wrong, ...clocked }: NewJobProps) => (
  <Form
    of={applications.length < 2 ? { ...MAKE_JOB, fields: MAKE_JOB.fields.slice(1) } : MAKE_JOB}
    form={{ id: "new", class: "edit", to: NEW_JOB_PATH, "data-preview": true }}
    does="Make it"
    beside={
      <>
        <ButtonLink to="/" kind="plain">
          Cancel
        </ButtonLink>
        <ShowAgain>Show what it means</ShowAgain>
      </>
    }
    typed={typed}
    wrong={wrong}
    shown={{
      application: { choices: choicesOf(applications) },
      schedule: { means: newTimes(typed, clocked) },
      everySeconds: { more: false },
      timezone: { sample: clocked.timezone, offered: zonesToOffer() },
    }}
  />
);

function deletedIn({ operate, viewer }: Asking, applications: readonly string[]): DeletedList["deleted"] | Refusal {
  const deleted = [];
  for (const application of viewer.applications === null ? [null] : applications) {
    const found = operate("monitor deleted", { application, limit: LIST_MAX });
    if (isRefusal(found)) return found;
    deleted.push(...found.deleted);
  }
  return deleted;
}

const Deleted = ({ jobs, now, timezone }: Clocked & { readonly jobs: DeletedList["deleted"] }) => (
  <>
    {jobs.length === 0 ? null : <h2>Deleted in the last 7 days</h2>}
    <ul class="lines">
      {jobs.map((job) => (
        <li key={jobPath(job)} class="acts">
          <span>
            {nameOnPage(job)} <small>{job.application}</small>{" "}
            <small>
              deleted <Ago at={job.deletedAt} now={now} timezone={timezone} />
            </small>
          </span>
          {job.keyIsTaken ? (
            <small>another job has its key by now</small>
          ) : (
            <Act to={`${jobPath(job)}/undelete`} back={NEW_JOB_PATH}>
              Bring it back
            </Act>
          )}
        </li>
      ))}
    </ul>
  </>
);

/**
 * The times at which the job would be due by the typed schedule; `null` when no schedule is typed, or a setting is
 * refused.
 */
function newTimes(typed: URLSearchParams, { now, timezone }: Clocked): Child {
  const read = readSettingsForm(typed);
  if (isRefusal(read) || read.schedule == null) return null;
  const zone = read.timezone ?? timezone;
  return <SlotsInLine schedule={read.schedule} everySeconds={null} timezone={zone} now={now} />;
}
