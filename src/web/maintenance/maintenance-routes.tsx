// Serves `/maintenance`: present, future and past maintenances, and the form that plans one; other pages have parts of
// that form (R24).

import { Elysia } from "elysia";
import type { Child } from "hono/jsx";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { checkSchedule } from "../../domain/schedule/schedule.ts";
import { spellTimezone } from "../../domain/schedule/zone.ts";
import { DAY } from "../../domain/time.ts";
import { maintenanceInWords } from "../../domain/wording/paused.ts";
import { doInPieces } from "../../http/yield.ts";
import { jobsUnder, maintenanceTimes } from "../../views/rows/maintenance-rows.ts";
import type { ShownMaintenance } from "../../views/schemas/maintenance-schemas.ts";
import { pageResponse } from "../document.tsx";
import { SlotsInLine } from "../job/facts.tsx";
import { jobsChosen, jobsToTick } from "../jobs-to-tick.ts";
import { applicationsFor } from "../list-query.ts";
import type { PagesParts } from "../pages-parts.ts";
import { Act, AskedBy } from "../parts/act.tsx";
import { choicesOf } from "../parts/field.tsx";
import { Head, SectionBox, SectionGroup } from "../parts/headline.tsx";
import type { Clocked } from "../parts/moment.tsx";
import { Form, WrongHint } from "../parts/operation-form.tsx";
import { RowParts } from "../parts/row-parts.tsx";
import { type Health, Shape } from "../parts/shapes.tsx";
import { MAINTENANCE_PATH, maintenanceEndPath, rowIdIn } from "../paths.ts";
import { pathBack } from "../posted-form.ts";
import { type FormOf, refusalWithFieldLabel, submitOperationForm } from "../read-form.ts";
import { redirect } from "../response.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { viewerMayAs } from "../viewer.ts";
import { zoneOf } from "../viewer-zone.ts";

const NONE = refuse("NOT_FOUND", "there is no such maintenance, or it is older than what is kept");

export const maintenanceRoutes = (parts: PagesParts) =>
  new Elysia({ name: "maintenance" })
    .use(signedIn(parts))
    .get(MAINTENANCE_PATH, ({ asking }) => maintenancePage(asking, parts, asking.search))
    .post(MAINTENANCE_PATH, ({ asking }) =>
      withForm(asking, (form) => {
        const back = pathBack(form.get("back"));
        return submitOperationForm(asking, PLAN, form, {
          done: () => redirect(back),
          again: ({ wrong }) =>
            back === MAINTENANCE_PATH
              ? maintenancePage(asking, parts, form, wrong)
              : refusalWithFieldLabel(PLAN, wrong),
        });
      }),
    )
    .post(`${MAINTENANCE_PATH}/:id/end`, ({ asking, params }) =>
      withForm(asking, (form) => {
        const id = rowIdIn(params.id);
        const ended = id === null ? NONE : asking.operate("maintenance end", { id });
        return isRefusal(ended) ? ended : redirect(pathBack(form.get("back")));
      }),
    );

/** The form that plans a maintenance. The times in it are read in the zone that its hidden field `timezone` names. */
const PLAN = {
  operation: "maintenance plan",
  fields: ["application", "monitors", "reason", "from", "until", "durationSeconds", "schedule"],
  hidden: ["timezone"],
} satisfies FormOf<"maintenance plan">;

/** The form that plans a maintenance for jobs that its page has chosen already. */
export const PLAN_FOR = {
  operation: "maintenance plan",
  fields: ["from", "until", "reason"],
  hidden: ["timezone", "application", "monitors"],
} satisfies FormOf<"maintenance plan">;

/** The fields of `PLAN_FOR` inside another form, which acts on selected jobs. */
export const PLAN_AMONG = { ...PLAN_FOR, hidden: ["timezone"], prefix: "plan-" } satisfies FormOf<"maintenance plan">;

/** Makes the form of a maintenance read its times in this zone, and say so. */
export const maintenanceFormTimes = (timezone: string) => ({
  timezone: { value: timezone },
  from: { help: `In ${timezone}. Left out: now.` },
});

async function maintenancePage(
  asking: Asking,
  { catchUp }: PagesParts,
  typed: URLSearchParams,
  wrong: Refusal | null = null,
): Promise<Response> {
  const { engine, request, viewer } = asking;
  const { now, timezone: ofServer } = engine.views.viewContext();
  // The zone that the form named: times that were typed in it keep their meaning when the form is shown again.
  const timezone = spellTimezone(typed.get("timezone") ?? "") ?? zoneOf(request, ofServer);
  const shown = { now, timezone };
  const all = engine.views.maintenances({ applications: viewer.applications, since: now - YEAR, limit: PAST_SHOWN });
  const of = (state: ShownMaintenance["state"]) => all.filter((one) => one.state === state);
  const says = of("now").length > 0 ? "There is maintenance now." : "There is no maintenance now.";
  const mayAct = viewerMayAs(viewer, "operator");
  if (mayAct) await catchUp();
  return pageResponse(
    asking,
    { title: "Maintenance", path: MAINTENANCE_PATH, status: wrong === null ? 200 : 400 },
    <>
      <Head says={says} />
      {(["now", "ahead", "past"] as const).map((state) =>
        of(state).length === 0 ? null : (
          <SectionGroup key={state} id={state} name={HEADS[state]}>
            <ul class="entries">
              {of(state).map((one) => (
                <MaintenanceEntry key={one.id} one={one} mayAct={mayAct} {...shown} />
              ))}
            </ul>
          </SectionGroup>
        ),
      )}
      {mayAct ? (
        <SectionBox id="plan-box" name="Plan maintenance">
          <Plan {...{ typed, wrong, timezone, now }} {...(await offeredTo(asking, typed))} />
        </SectionBox>
      ) : null}
    </>,
  );
}

interface PlanProps extends Clocked, Awaited<ReturnType<typeof offeredTo>> {
  readonly typed: URLSearchParams;
  readonly wrong: Refusal | null;
}

/** Reads what the form offers: the applications, and the jobs of the chosen application or else of the first one. */
async function offeredTo(asking: Asking, typed: URLSearchParams) {
  const { engine, viewer } = asking;
  const applications = applicationsFor(engine, viewer);
  const application = applications.find((one) => one === typed.get("application")) ?? applications[0] ?? "";
  const chosen = jobsChosen(typed.getAll("monitors"));
  return {
    applications,
    chosen,
    jobs: await doInPieces(engine.scheduler, jobsToTick(asking, application, chosen ?? [], typed)),
  };
}

const Plan = ({ typed, wrong, applications, chosen, jobs, ...clock }: PlanProps) => (
  <Form
    of={applications.length < 2 ? { ...PLAN, fields: PLAN.fields.slice(1) } : PLAN}
    form={{ id: "plan", class: "edit", to: MAINTENANCE_PATH, "data-preview": true }}
    does="Plan it"
    hidden={{ back: MAINTENANCE_PATH }}
    typed={typed}
    wrong={wrong}
    shown={{
      ...maintenanceFormTimes(clock.timezone),
      application: { choices: choicesOf(applications) },
      monitors: { jobs, value: chosen },
      schedule: { means: windowsMeant(typed, clock) },
    }}
  />
);

/**
 * The times at which the maintenance would begin by the typed schedule, or what is wrong with the schedule; `null` when
 * none is typed.
 */
function windowsMeant(typed: URLSearchParams, { now, timezone }: Clocked): Child {
  const schedule = typed.get("schedule")?.trim() ?? "";
  if (schedule === "") return null;
  const refused = checkSchedule(schedule, "five");
  if (refused !== null) return <WrongHint refusal={refused} />;
  return <SlotsInLine schedule={schedule} everySeconds={null} timezone={timezone} now={now} />;
}

const YEAR = 365 * DAY;
const PAST_SHOWN = 50;
const HEADS = { now: "Now", ahead: "Ahead", past: "Over" };
const HEALTHS: Readonly<Record<ShownMaintenance["state"], Health>> = {
  now: "paused",
  ahead: "pending",
  past: "healthy",
};

const MaintenanceEntry = ({ one, mayAct, ...shown }: Clocked & { one: ShownMaintenance; mayAct: boolean }) => (
  <li class="entry">
    <Shape health={HEALTHS[one.state]} />
    <div class="entry-what">
      <p>
        <span class="entry-name">{jobsUnder(one)}</span> <Times one={one} {...shown} />
      </p>
      <p class="note">
        {`${maintenanceInWords(one, shown.timezone)} · `}
        {one.id === null ? (
          "set by the configuration"
        ) : (
          <>
            planned
            <AskedBy asked={{ by: one.plannedBy, reason: one.reason }} />
          </>
        )}
      </p>
    </div>
    {mayAct && one.id !== null && one.state !== "past" ? (
      <Act to={maintenanceEndPath(one.id)} back={MAINTENANCE_PATH}>
        {one.state === "now" ? "End now" : "Call off"} <span class="unseen">{jobsUnder(one)}</span>
      </Act>
    ) : null}
  </li>
);

const Times = ({ one, ...shown }: Clocked & { one: ShownMaintenance }) => (
  <span class="where">
    <RowParts parts={maintenanceTimes(one)} {...shown} />
  </span>
);

/** A line on the overview: which jobs are in maintenance now, until when, and why. */
export const MaintenanceNow = ({ one, ...shown }: Clocked & { one: ShownMaintenance }) => (
  <p class="trouble is-quiet">
    <Shape health="paused" />
    <span>
      <a href={MAINTENANCE_PATH}>Maintenance</a> of {jobsUnder(one)} <Times one={one} {...shown} />
      <AskedBy asked={{ by: one.plannedBy, reason: one.reason }} />
    </span>
  </p>
);
