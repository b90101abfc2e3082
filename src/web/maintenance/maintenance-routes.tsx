// `/maintenance`: what is now, ahead and over, and the form that plans it; other pages have parts of that form (R24).

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { spellTimezone } from "../../domain/schedule/zone.ts";
import { DAY } from "../../domain/time.ts";
import { askedInWords, isCalledOff, maintenanceInWords } from "../../domain/wording/paused.ts";
import { readSeconds, secondsRule } from "../../engine/operations/fields.ts";
import { OPERATIONS } from "../../engine/operations/operations.ts";
import type { ShownMaintenance } from "../../views/answers/maintenances.ts";
import { redirect } from "../answer.ts";
import { pageAnswer } from "../document.tsx";
import { pathBack } from "../form.ts";
import { applicationsFor } from "../list-query.ts";
import type { PagesParts } from "../pages-parts.ts";
import { Act, Field, Submit, Wrong } from "../parts/act.tsx";
import { Group, Head, Own } from "../parts/headline.tsx";
import { type Clocked, When } from "../parts/moment.tsx";
import { type Health, Shape } from "../parts/shapes.tsx";
import { MAINTENANCE_PATH, rowIn } from "../paths.ts";
import { sentence } from "../refusal-page.tsx";
import { shownLine } from "../shown.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { mayAs } from "../viewer.ts";
import { zoneOf } from "../zone.ts";

const DURATION = OPERATIONS["maintenance plan"].input.properties.durationSeconds;
const NONE = refuse("NOT_FOUND", "there is no such maintenance, or it is older than what is kept");

export const maintenanceRoutes = (parts: PagesParts) =>
  new Elysia({ name: "maintenance" })
    .use(signedIn(parts))
    .get(MAINTENANCE_PATH, ({ asking }) => maintenancePage(asking, asking.search))
    .post(MAINTENANCE_PATH, ({ asking }) =>
      withForm(asking, (form) => {
        const planned = planMaintenance(asking, form, form.get("application"), linesIn(form.get("monitors")));
        const back = pathBack(form.get("back"));
        if (!isRefusal(planned)) return redirect(back);
        return back === MAINTENANCE_PATH && planned.refusal !== "ACCESS_DENIED"
          ? maintenancePage(asking, form, sentence(planned.message))
          : planned;
      }),
    )
    .post(`${MAINTENANCE_PATH}/:id/end`, ({ asking, params }) => {
      const id = rowIn(params.id);
      const ended = id === null ? NONE : asking.operate("maintenance end", { id });
      return isRefusal(ended) ? ended : redirect(MAINTENANCE_PATH);
    });

const linesIn = (text: string | null): string[] =>
  (text ?? "").split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));

/** As such a form says it; its times are in its `timezone`. */
export function planMaintenance(
  { operate }: Pick<Asking, "operate">,
  form: URLSearchParams,
  application: string | null,
  monitors: readonly string[],
): object | Refusal {
  const said = (name: string): string | null => form.get(name)?.trim() || null;
  const lasts = said("lasts");
  const durationSeconds = lasts === null ? null : readSeconds(DURATION, lasts);
  if (lasts !== null && durationSeconds === null)
    return refuse("INVALID_REQUEST", `Lasts: it must be ${secondsRule(DURATION)}`);
  const times = { from: said("from"), until: said("until"), schedule: said("schedule"), timezone: said("timezone") };
  const wanted = { application, monitors, ...times, durationSeconds, reason: said("why") };
  const planned = operate("maintenance plan", wanted);
  return isRefusal(planned) ? { ...planned, message: asInForm(planned.message) } : planned;
}

const LABELS: Readonly<Record<string, string>> = {
  ...{ monitors: "Jobs", from: "From", until: "Until", reason: "Why" },
  ...{ schedule: "Again and again", durationSeconds: "Lasts" },
};

/** A refusal names the fields of the operation; who fills in the form sees their labels. */
const asInForm = (message: string): string =>
  message
    .replace("(durationSeconds, --for)", "(Lasts)")
    .replace(/^(\w+)(?: \(--for\))?:/, (all, field: string) =>
      LABELS[field] === undefined ? all : `${LABELS[field]}:`,
    );

interface FieldsProps {
  timezone: string;
  /** What was written, by field. */
  typed?: URLSearchParams;
  /** The form does other things too, for which no reason is needed. */
  among?: boolean;
}

/** From when until when, and why. */
export const MaintenanceFields = ({ timezone, typed, among = false }: FieldsProps) => {
  const field = (name: string) => ({ name, value: typed?.get(name) ?? "", optional: true });
  return (
    <>
      <input type="hidden" name="timezone" value={timezone} />
      <Field {...field("from")} label="From" type="datetime-local" hint={`In ${timezone}. Left out: now.`} />
      <Field {...field("until")} label="Until" type="datetime-local" />
      <Field {...field("why")} label="Why" maxlength={200} optional={among} />
    </>
  );
};

function maintenancePage(asking: Asking, typed: URLSearchParams, wrong: string | null = null): Response {
  const { engine, request, viewer } = asking;
  const { now, timezone: ofServer } = engine.views.viewContext();
  // What was written stays in the zone that the form named.
  const timezone = spellTimezone(typed.get("timezone") ?? "") ?? zoneOf(request, ofServer);
  const shown = { now, timezone };
  const all = engine.views.maintenances({ applications: viewer.applications, since: now - YEAR, limit: PAST_SHOWN });
  const of = (state: ShownMaintenance["state"]) => all.filter((one) => one.state === state);
  const says = of("now").length > 0 ? "There is maintenance now." : "There is no maintenance now.";
  const mayAct = mayAs(viewer, "operator");
  return pageAnswer(
    asking,
    { title: "Maintenance", path: MAINTENANCE_PATH, status: wrong === null ? 200 : 400 },
    <>
      <Head says={says} />
      {(["now", "ahead", "past"] as const).map((state) =>
        of(state).length === 0 ? null : (
          <Group key={state} id={state} name={HEADS[state]}>
            <ul class="entries">
              {of(state).map((one) => (
                <Entry key={one.id} one={one} mayAct={mayAct} {...shown} />
              ))}
            </ul>
          </Group>
        ),
      )}
      {mayAct ? (
        <Own id="plan-box" name="Plan maintenance">
          <form id="plan" class="edit" method="post" action={MAINTENANCE_PATH}>
            <Wrong text={wrong} />
            <input type="hidden" name="back" value={MAINTENANCE_PATH} />
            <p class="field">
              <label for="application">Application</label>
              <select id="application" name="application">
                {applicationsFor(engine, viewer).map((slug) => (
                  <option key={slug} selected={slug === typed.get("application")}>
                    {slug}
                  </option>
                ))}
              </select>
            </p>
            <p class="field">
              <label for="monitors">Jobs</label>
              <textarea id="monitors" name="monitors" rows={2} spellcheck={false} aria-describedby="monitors-hint">
                {typed.get("monitors") ?? ""}
              </textarea>
              <small id="monitors-hint">
                Keys, one a line; * stands for any letters. Left out: all, also later ones.
              </small>
            </p>
            <MaintenanceFields timezone={shown.timezone} typed={typed} />
            <Field
              label="Again and again"
              name="schedule"
              value={typed.get("schedule") ?? ""}
              placeholder="0 4 * * 0"
              hint="Instead of both times: a schedule of five fields."
              optional
            />
            <Field
              label="Lasts"
              name="lasts"
              value={typed.get("lasts") ?? ""}
              placeholder="2h"
              hint="Instead of its end: for how long."
              optional
            />
            <Submit kind="strong">Plan it</Submit>
          </form>
        </Own>
      ) : null}
    </>,
  );
}

const YEAR = 365 * DAY;
const PAST_SHOWN = 50;
const HEADS = { now: "Now", ahead: "Ahead", past: "Over" };
const HEALTHS: Readonly<Record<ShownMaintenance["state"], Health>> = {
  now: "paused",
  ahead: "pending",
  past: "healthy",
};

const Entry = ({ one, mayAct, ...shown }: Clocked & { one: ShownMaintenance; mayAct: boolean }) => (
  <li class="entry">
    <Shape health={HEALTHS[one.state]} />
    <div class="entry-what">
      <p>
        <span class="entry-name">{whoseOf(one)}</span> <Times one={one} {...shown} />
      </p>
      <p class="note">
        {`${maintenanceInWords(one, shown.timezone)} · `}
        <bdi>{one.id === null ? "set by the configuration" : shownLine(whyOf(one))}</bdi>
      </p>
    </div>
    {mayAct && one.id !== null && one.state !== "past" ? (
      <Act to={`${MAINTENANCE_PATH}/${one.id}/end`} back={MAINTENANCE_PATH}>
        {one.state === "now" ? "End now" : "Call off"} <span class="unseen">{whoseOf(one)}</span>
      </Act>
    ) : null}
  </li>
);

/** `planned by Ben: kernel upgrade`. */
const whyOf = ({ plannedBy, reason }: ShownMaintenance): string =>
  `planned${askedInWords({ asked: { by: plannedBy, reason } })}`;

/** `web`, or `backup-* of web`. */
const whoseOf = ({ application, monitors }: ShownMaintenance): string =>
  monitors.length === 0 ? application : `${shownLine(monitors.join(", "))} of ${application}`;

const Times = ({ one, ...shown }: Clocked & { one: ShownMaintenance }) => {
  const { state, next, endedAt } = one;
  // Of one that came again and again only its end is known.
  const from = next?.from ?? null;
  const until = endedAt ?? next?.until ?? null;
  return (
    <span class="where">
      {state === "now" || from === null ? null : <When at={from} {...shown} />}
      {until === null ? null : isCalledOff(one) ? (
        ", called off"
      ) : (
        <>
          {" until "}
          <When at={until} {...shown} />
        </>
      )}
    </span>
  );
};

/** On the first page: what is in maintenance now, until when and why. */
export const MaintenanceNow = ({ one, ...shown }: Clocked & { one: ShownMaintenance }) => (
  <p class="trouble is-quiet">
    <Shape health="paused" />
    <span>
      <a href={MAINTENANCE_PATH}>Maintenance</a> of {whoseOf(one)} <Times one={one} {...shown} />
      <bdi>{shownLine(askedInWords({ asked: { by: one.plannedBy, reason: one.reason } }))}</bdi>
    </span>
  </p>
);
