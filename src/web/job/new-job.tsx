// A job that is made before its first report, and jobs that were deleted and can be brought back.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { spellTimezone } from "../../domain/schedule/zone.ts";
import { DECLARED_FIELDS, settingInWords } from "../../domain/settings/settings.ts";
import type { Instant } from "../../domain/time.ts";
import { annotationsOf, LIST_MAX } from "../../engine/operations/fields.ts";
import { redirect } from "../answer.ts";
import { pageAnswer } from "../document.tsx";
import { applicationsFor } from "../list-query.ts";
import type { PagesParts } from "../pages-parts.ts";
import { Act, Field, Submit, Wrong } from "../parts/act.tsx";
import { When } from "../parts/moment.tsx";
import { Select } from "../parts/narrow.tsx";
import { jobPath, NEW_JOB_PATH } from "../paths.ts";
import { sentence } from "../refusal-page.tsx";
import { shownName } from "../shown.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { mayAs } from "../viewer.ts";
import { zoneOf } from "../zone.ts";
import { Slots } from "./facts.tsx";
import { FIELDS, fieldOf, readSettings, withoutField } from "./setting-fields.ts";

export const newJobRoutes = (parts: PagesParts) =>
  new Elysia({ name: "new-job" })
    .use(signedIn(parts))
    .get(NEW_JOB_PATH, ({ asking }) => newJobPage(asking, parts, asking.search))
    .post(NEW_JOB_PATH, ({ asking }) =>
      withForm(asking, (form) => {
        const { said, wrong } = readSettings(form);
        const named = { application: form.get("application"), key: form.get("key")?.trim() ?? "" };
        const made = wrong ?? asking.operate("monitor create", { ...named, ...said });
        if (!isRefusal(made)) return redirect(jobPath(made));
        return made.refusal === "ACCESS_DENIED" ? made : newJobPage(asking, parts, form, made);
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

function newJobPage(
  asking: Asking,
  { inForce }: PagesParts,
  typed: URLSearchParams,
  wrong: Refusal | null = null,
): Response | Refusal {
  const { operate, engine, viewer } = asking;
  if (!mayAs(viewer, "admin")) return refuse("ACCESS_DENIED", "only administrators may make a job");
  const { now, timezone: own } = engine.views.viewContext();
  const timezone = zoneOf(asking.request, own);
  const applications = applicationsFor(engine, viewer);
  const deleted = [];
  for (const application of viewer.applications === null ? [null] : applications) {
    const found = operate("monitor deleted", { application, limit: LIST_MAX });
    if (isRefusal(found)) return found;
    deleted.push(...found.deleted);
  }
  const field = wrong === null ? null : fieldOf(wrong);
  // R13: where nothing else is written, the zone of its application.
  const application = typed.get("application") ?? applications[0] ?? "";
  const set = inForce.settings.find(({ key }) => key === `applications.${application}.timezone`)?.value;
  const ofApplication = spellTimezone(set?.replaceAll('"', "") ?? "");
  const isKey = wrong?.message.startsWith("key:") === true;
  return pageAnswer(
    asking,
    { title: "New job", status: wrong === null ? 200 : 400 },
    <section class="door">
      <h1 class="headline is-quiet">A new job.</h1>
      <form id="new" class="edit" method="post" action={NEW_JOB_PATH} data-preview="edit-times">
        {applications.length < 2 ? null : (
          <Select
            name="application"
            label="Application"
            chosen={typed.get("application") ?? ""}
            of={applications.map((slug) => [slug, slug])}
          />
        )}
        <Wrong text={wrong === null || field !== null || isKey ? null : sentence(wrong.message)} />
        <Field
          label="key"
          name="key"
          value={typed.get("key") ?? ""}
          hint="what its reports name: /api/v1/ping/KEY"
          wrong={isKey ? withoutField(wrong!) : null}
        />
        {DECLARED_FIELDS.map((name) => (
          <>
            <Field
              label={settingInWords(name)}
              name={name}
              value={typed.get(name) ?? ""}
              hint={annotationsOf(FIELDS[name]).description ?? ""}
              wrong={wrong !== null && field === name ? withoutField(wrong) : null}
              optional
            />
            {name === "everySeconds" ? <NewTimes typed={typed} now={now} timezone={ofApplication ?? own} /> : null}
          </>
        ))}
        <p class="acts">
          <Submit kind="strong">Make it</Submit>
        </p>
      </form>
      {deleted.length === 0 ? null : <h2>Deleted in the last 7 days</h2>}
      <ul class="lines">
        {deleted.map((job) => (
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
    </section>,
  );
}

/** When it would be due, by what is written. */
const NewTimes = ({ typed, now, timezone }: { typed: URLSearchParams; now: Instant; timezone: string }) => {
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
