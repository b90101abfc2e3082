// A job that is made before its first report, and jobs that were deleted and can be brought back.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { DECLARED_FIELDS } from "../../domain/settings/settings.ts";
import { LIST_MAX } from "../../engine/operations/fields.ts";
import type { DeletedList } from "../../views/answers/monitors.ts";
import { redirect } from "../answer.ts";
import { pageAnswer } from "../document.tsx";
import { applicationsFor } from "../list-query.ts";
import type { PagesParts } from "../pages-parts.ts";
import { Act, Submit } from "../parts/act.tsx";
import { Field, Wrong } from "../parts/field.tsx";
import { type Clocked, When } from "../parts/moment.tsx";
import { Select } from "../parts/narrow.tsx";
import { jobPath, NEW_JOB_PATH } from "../paths.ts";
import { sentence } from "../refusal-page.tsx";
import { shownName } from "../shown.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { mayAs } from "../viewer.ts";
import { viewerZone } from "../zone.ts";
import { Slots } from "./facts.tsx";
import { fieldOf, readSettings, SettingField, withoutField } from "./setting-fields.tsx";

export const newJobRoutes = (parts: PagesParts) =>
  new Elysia({ name: "new-job" })
    .use(signedIn(parts))
    .get(NEW_JOB_PATH, ({ asking }) => newJobPage(asking, asking.search))
    .post(NEW_JOB_PATH, ({ asking }) =>
      withForm(asking, (form) => {
        const { said, wrong } = readSettings(form);
        const named = { application: form.get("application"), key: form.get("key")?.trim() ?? "" };
        const made = wrong ?? asking.operate("monitor create", { ...named, ...said });
        if (!isRefusal(made)) return redirect(jobPath(made));
        return made.refusal === "ACCESS_DENIED" ? made : newJobPage(asking, form, made);
      }),
    )
    .post("/jobs/:application/:key/rename", ({ asking, params }) =>
      withForm(asking, (form) => {
        const { application, key } = params;
        const renamed = asking.operate("monitor rename", {
          application,
          key,
          newKey: form.get("newKey")?.trim() ?? "",
        });
        return isRefusal(renamed) ? renamed : redirect(jobPath(renamed.monitor));
      }),
    )
    .post("/jobs/:application/:key/undelete", ({ asking, params: { application, key } }) => {
      const back = asking.operate("monitor undelete", { application, key });
      return isRefusal(back) ? back : redirect(jobPath(back.monitor));
    });

function newJobPage(asking: Asking, typed: URLSearchParams, wrong: Refusal | null = null): Response | Refusal {
  const { engine, viewer } = asking;
  if (!mayAs(viewer, "admin")) return refuse("ACCESS_DENIED", "only administrators may make a job");
  const { now } = engine.views.viewContext();
  const applications = applicationsFor(engine, viewer);
  const deleted = deletedIn(asking, applications);
  if (isRefusal(deleted)) return deleted;
  return pageAnswer(
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

/** `timezone`: that in which a schedule is read where none is written (R13). */
type NewJobProps = Clocked &
  Readonly<{ applications: readonly string[]; typed: URLSearchParams; wrong: Refusal | null }>;

const NewJob = ({ applications, typed, wrong, ...clocked }: NewJobProps) => {
  const isKey = wrong?.message.startsWith("key:") === true;
  return (
    <form id="new" class="edit" method="post" action={NEW_JOB_PATH} data-preview="edit-times">
      {applications.length < 2 ? null : (
        <Select
          name="application"
          label="Application"
          chosen={typed.get("application") ?? ""}
          of={applications.map((slug) => [slug, slug])}
        />
      )}
      <Wrong text={wrong === null || fieldOf(wrong) !== null || isKey ? null : sentence(wrong.message)} />
      <Field
        label="key"
        name="key"
        value={typed.get("key") ?? ""}
        hint="what its reports name: /api/v1/ping/KEY"
        wrong={isKey ? withoutField(wrong!) : null}
      />
      {DECLARED_FIELDS.map((field) => (
        <>
          <SettingField field={field} value={typed.get(field) ?? ""} wrong={wrong} />
          {field === "everySeconds" ? <NewTimes typed={typed} {...clocked} /> : null}
        </>
      ))}
      <p class="acts">
        <Submit kind="strong">Make it</Submit>
      </p>
    </form>
  );
};

/** Of all applications, or of those that the viewer may see. */
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
            {shownName(job)} <small>{job.application}</small>{" "}
            <small>
              deleted <When at={job.deletedAt} now={now} timezone={timezone} />
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

/** When it would be due, by what is written. */
const NewTimes = ({ typed, now, timezone }: Clocked & { readonly typed: URLSearchParams }) => {
  const { said, wrong } = readSettings(typed);
  const { schedule = null, everySeconds = null } = said;
  return (
    <div id="edit-times" class="note" role="status">
      {wrong !== null || (schedule === null && everySeconds === null) ? null : (
        <Slots schedule={schedule} everySeconds={everySeconds} timezone={said.timezone ?? timezone} now={now} />
      )}
    </div>
  );
};
