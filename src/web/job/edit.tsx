// Serves the page on which an operator changes a job's settings. The form has the fields of the operation `monitor
// set`, and says what the typed values would mean; only the operation decides whether they are accepted. A value that
// the configuration or a registry sets is shown, but cannot be changed.

import { Elysia } from "elysia";
import type { Child } from "hono/jsx";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { zonesToOffer } from "../../domain/schedule/compiled-zones.ts";
import { firstSlot } from "../../domain/schedule/rhythm.ts";
import { declaredAfter, NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import {
  DECLARED_FIELDS,
  DECLARED_SETTINGS,
  type Declared,
  type DeclaredField,
  SETTINGS,
  settingOption,
} from "../../domain/settings/settings.ts";
import { DAY, durationText, type Instant } from "../../domain/time.ts";
import { overInWords, usualInWords } from "../../domain/wording/run-length-words.ts";
import { settingValueInWords } from "../../domain/wording/setting-words.ts";
import { span } from "../../domain/wording/short-time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { annotationsOf } from "../../engine/operations/fields.ts";
import { JUDGED } from "../../engine/operations/monitor-operations.ts";
import { doInPieces } from "../../http/yield.ts";
import { sourceInWords } from "../../views/rows/monitor-facts.ts";
import type { ShownSetting } from "../../views/schemas/setting-schemas.ts";
import type { ShownMonitor } from "../../views/schemas/shown-monitor-schemas.ts";
import type { Replayed } from "../../views/schemas/why-schemas.ts";
import { type LastLengths, lastLengths } from "../../views/timeline.ts";
import { pageResponse } from "../document.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { ButtonLink, MenuName } from "../parts/act.tsx";
import { ShowAgain } from "../parts/field.tsx";
import { Form, WrongHint } from "../parts/operation-form.tsx";
import { editPath, type JobAddress, jobPath } from "../paths.ts";
import { type FormOf, formFieldSchema, readForm, submitOperationForm } from "../read-form.ts";
import { redirect } from "../response.ts";
import type { SettingsInForce } from "../settings/setting.ts";
import { nameOnPage, pageLine } from "../shown.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { type Viewer, viewerMayAs } from "../viewer.ts";
import { SlotsInLine } from "./facts.tsx";
import { readSettingsForm, SETTINGS_FORM } from "./settings-form.ts";

const PATH = "/jobs/:application/:key/edit";

const FOR_OPERATORS = refuse("ACCESS_DENIED", "only operators may change settings of a job");

export const editRoutes = (parts: PagesParts) =>
  new Elysia({ name: "edit" })
    .use(signedIn(parts))
    .get(PATH, ({ asking, params }) =>
      onJob(asking, params, async (monitor) =>
        editPage(asking, parts, monitor, asking.search, {
          past: await pastOf(asking, monitor),
          replayed: await replayedFor(asking, monitor, asking.search),
        }),
      ),
    )
    .post(PATH, ({ asking, params }) =>
      withForm(asking, (form) => onJob(asking, params, (monitor) => submitChange(asking, parts, monitor, form))),
    );

const LAST = 30;
/** How many milliseconds back reports are read at most; earlier reports say little about today. */
const REACH_MAX = 400 * DAY;

/**
 * Reads how long the last runs took and how late their reports came, to compare them with a typed limit. Returns `null`
 * when the job is gone.
 */
async function pastOf({ engine }: Asking, { application, key, ...monitor }: ShownMonitor): Promise<LastLengths | null> {
  const id = engine.views.monitorId(application, key);
  if (id === null) return null;
  const { now } = engine.views.viewContext();
  const first = firstSlot(monitor, now);
  const second = first === null ? null : firstSlot(monitor, first);
  const reach = (LAST + 1) * (first === null || second === null ? DAY : second - first);
  const span = { from: now - Math.min(REACH_MAX, Math.max(DAY, reach)), to: now };
  const timeline = (await doInPieces(engine.scheduler, engine.views.timelines([id], span))).monitors.get(id);
  return timeline === undefined ? null : lastLengths(timeline, LAST);
}

/**
 * At most this many reports of the job are judged again under the typed settings, the newest ones. A job that reports
 * every ten minutes sends fewer in a month.
 */
const REPLAYED_MOST = 5_000;

/**
 * Judges the job's history again under the typed values, and returns the alarms that they would have raised. `null`
 * when no typed value affects alarms, or one is refused.
 */
async function replayedFor(
  { engine }: Asking,
  monitor: ShownMonitor,
  typed: URLSearchParams,
): Promise<Replayed | null> {
  const said = readSettingsForm(changedIn(monitor, typed));
  if (isRefusal(said) || !Object.keys(JUDGED).some((field) => field in said)) return null;
  const { application, key } = monitor;
  const settings = { ...NOTHING_DECLARED, ...said };
  const work = engine.views.replay({ application, key, sinceSeconds: null, settings, most: REPLAYED_MOST });
  return isRefusal(work) ? null : await doInPieces(engine.scheduler, work);
}

function onJob(
  { operate, viewer }: Asking,
  { application, key }: JobAddress,
  then: (monitor: ShownMonitor) => Response | Refusal | Promise<Response>,
) {
  const monitor = operate("monitor show", { application, key });
  if (isRefusal(monitor)) return monitor;
  return viewerMayAs(viewer, "operator") ? then(monitor) : FOR_OPERATORS;
}

/** The form with the button that undoes the last change of the job's settings. */
const UNDO = { operation: "monitor set", fields: ["undo"] } satisfies FormOf<"monitor set">;

function submitChange(
  asking: Asking,
  parts: PagesParts,
  monitor: ShownMonitor,
  form: URLSearchParams,
): Response | Refusal {
  const { application, key } = monitor;
  const done = () => redirect(jobPath(monitor));
  const asked = readForm(UNDO, form);
  if (isRefusal(asked)) return asked;
  if (asked.undo)
    return submitOperationForm(asking, UNDO, form, {
      given: () => ({ application, key }),
      done,
      again: ({ wrong }) => wrong,
    });
  const changed = changedIn(monitor, form);
  if (changed.size === 0) return done();
  const unset = unsetIn(changed).map(settingOption).join() || null;
  return submitOperationForm(asking, SETTINGS_FORM, changed, {
    given: () => ({ application, key, unset }),
    done,
    again: ({ wrong }) =>
      DECLARED_FIELDS.some((field) => field === wrong.field)
        ? editPage(asking, parts, monitor, form, { wrong })
        : wrong,
  });
}

const editPage = (
  asking: Asking,
  { inForce }: PagesParts,
  monitor: ShownMonitor,
  typed: URLSearchParams,
  { wrong = null, past = null, replayed = null }: Partial<Pick<EditProps, "wrong" | "past" | "replayed">> = {},
) =>
  pageResponse(
    asking,
    { title: `Edit ${nameOnPage(monitor)}`, status: wrong === null ? 200 : 400 },
    <section class="door">
      <h1 class="headline is-quiet">Edit {nameOnPage(monitor)}.</h1>
      <EditForm
        {...{ monitor, typed, wrong, past, replayed, originOf: originsIn(inForce, monitor) }}
        zones={zonesToOffer()}
        zone={asking.engine.views.timezone(monitor.application)}
        now={asking.engine.views.viewContext().now}
        beside={
          <ButtonLink to={jobPath(monitor)} kind="plain">
            Cancel
          </ButtonLink>
        }
      />
    </section>,
  );

type EditHere = Pick<EditProps, "originOf" | "monitor" | "now"> & { readonly viewer: Viewer };

/**
 * The form in a fold of the job's page. That page stays open and is made again often, so the form is made without
 * further queries. What its values mean is not in it. When a person opens the fold, a script fetches that.
 */
export const Edit = ({ viewer, ...props }: EditHere) =>
  viewerMayAs(viewer, "operator") ? (
    <details id="job-edit" class="menu" name="menu">
      <MenuName>Edit</MenuName>
      <div class="menu-body">
        <EditForm
          {...{ ...props, wrong: null, past: null, replayed: null }}
          typed={new URLSearchParams()}
          zones={[...new Set([props.monitor.timezone, "UTC"])]}
          zone={props.monitor.timezone}
        />
      </div>
    </details>
  ) : (
    <div id="job-edit" hidden />
  );

/**
 * Returns the file and line at which the configuration sets this field of a job; `null` when it does not set the field.
 */
export type OriginOf = (field: DeclaredField) => string | null;

export const originsIn =
  ({ settings }: SettingsInForce, { application, key }: JobAddress): OriginOf =>
  (field) => {
    const ends = [key, JSON.stringify(key)].map((name) => `.monitors.${name}.${SETTINGS[field].key}`);
    const found = settings.find((one) => ends.some((end) => one.key === `applications.${application}${end}`));
    return found?.from ?? null;
  };

interface EditProps {
  readonly originOf: OriginOf;
  readonly monitor: ShownMonitor;
  readonly now: Instant;
  /**
   * The zones that the form offers: all of them; but on the job's own page, which is made again often, only the job's
   * zone and UTC.
   */
  readonly zones: readonly string[];
  /** The zone in which the schedule is read when the job declares no zone: that of its application. */
  readonly zone: string;
  /** The typed values by field; a field without a typed value shows what is declared. */
  readonly typed: URLSearchParams;
  readonly wrong: Refusal | null;
  /** How long the last runs took and how late their reports came; `null` when this was not read. */
  readonly past: LastLengths | null;
  readonly replayed: Replayed | null;
  readonly beside?: Child;
}

const MEANT: ReadonlySet<DeclaredField> = new Set(["schedule", "everySeconds", "graceSeconds", "maxRuntimeSeconds"]);

const EditForm = ({ originOf, zones, wrong, replayed, beside, ...meant }: EditProps) => {
  const { monitor, typed } = meant;
  const meanings = meaningsOf(meant);
  const isAtIntervals = monitor.settings.everySeconds.value !== null;
  return (
    <Form
      of={SETTINGS_FORM}
      form={{ id: "edit", class: "edit", to: editPath(monitor), "data-preview": true }}
      id="edit-"
      does="Save"
      hidden={{ back: jobPath(monitor) }}
      beside={
        <>
          {beside}
          <ShowAgain>Show what it means</ShowAgain>
        </>
      }
      typed={typed}
      wrong={wrong}
      shown={Object.fromEntries(
        DECLARED_FIELDS.map((field) => [
          field,
          {
            ...shownSetting(monitor, field, originOf),
            ...(field === "timezone" && { offered: zones }),
            ...((MEANT.has(field) || field in meanings) && { means: meanings[field] ?? null }),
            ...(isAtIntervals && field === "schedule" && { more: true }),
            ...(isAtIntervals && field === "everySeconds" && { more: false }),
            after: (
              <input
                type="hidden"
                name={shownValueField(field)}
                value={typed.get(shownValueField(field)) ?? fieldText(field, monitor.settings[field].declared)}
              />
            ),
          },
        ]),
      )}
    >
      <p id="edit-alarms" class="note" data-follows role="status">
        {replayed === null
          ? null
          : `In the last ${span(replayed.to - replayed.from)}: ${counted(replayed.alarms, "alarm")} under these settings, ${replayed.asItIs} as it is.`}
      </p>
    </Form>
  );
};

function shownSetting(monitor: ShownMonitor, field: DeclaredField, originOf: OriginOf) {
  const setting: ShownSetting<string | number | null> = monitor.settings[field];
  const locked = lockOf(monitor, field);
  const from = setting.from === "configuration" ? originOf(field) : null;
  return {
    value: fieldText(field, locked === null ? setting.declared : setting.value),
    sample: setting.value === null ? "none" : fieldText(field, setting.value),
    locked: locked === null || from === null ? locked : `${locked} (${from})`,
  };
}

/**
 * The name of the hidden field with the value that the page showed. By this value a change that another person made
 * meanwhile is told from a change in this form.
 */
const shownValueField = (field: DeclaredField): string => `was-${field}`;

/** A value as people write it in a field: `5m` for 300 seconds. */
const fieldText = (field: DeclaredField, value: string | number | null): string => {
  if (value === null) return "";
  return typeof value === "number" && isDuration(field) ? durationText(value) : String(value);
};

const isDuration = (field: DeclaredField): boolean =>
  annotationsOf(formFieldSchema(SETTINGS_FORM, field)).seconds === true;

/** Says who sets a field that cannot be changed here; `null` when an operator may change it. */
function lockOf(monitor: ShownMonitor, field: DeclaredField): string | null {
  const setting: ShownSetting<string | number | null> = monitor.settings[field];
  if (setting.from === "configuration")
    return `set by the ${sourceInWords(setting, (value) => settingValueInWords(field, value))}`;
  const { declaration, pauses } = monitor;
  if (setting.from !== "declared" || declaration === null || pauses.discovery) return null;
  return `set by its registry ${pageLine(declaration.source)}`;
}

/** The fields that the person has changed, with the typed values. An empty value removes the setting. */
const changedIn = (monitor: ShownMonitor, form: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    DECLARED_FIELDS.flatMap((field): [string, string][] => {
      const now = form.get(field)?.trim();
      if (now === undefined || lockOf(monitor, field) !== null) return [];
      const before = form.get(shownValueField(field)) ?? fieldText(field, monitor.settings[field].declared);
      return now === before ? [] : [[field, now]];
    }),
  );

const unsetIn = (changed: URLSearchParams): DeclaredField[] =>
  DECLARED_FIELDS.filter((field) => changed.get(field) === "");

type Meant = Pick<EditProps, "monitor" | "now" | "typed" | "past" | "zone">;

/** Tells what the typed values mean, field by field. A field has `null` when nothing is known about it. */
function meaningsOf({ monitor, now, typed, past, zone }: Meant): Partial<Record<DeclaredField, Child>> {
  const changed = changedIn(monitor, typed);
  const unset = unsetIn(changed);
  const said = readSettingsForm(changed);
  if (isRefusal(said)) return { [said.field ?? "schedule"]: <WrongHint refusal={said} /> };
  const declared = (field: DeclaredField) => (unset.includes(field) ? null : monitor.settings[field].declared);
  const before = Object.fromEntries(DECLARED_FIELDS.map((field) => [field, declared(field)])) as Declared;
  const after = declaredAfter(before, { ...NOTHING_DECLARED, ...said });
  const inForce = <Field extends DeclaredField>(field: Field): Declared[Field] => {
    const { from, value } = monitor.settings[field] as ShownSetting<Declared[Field]>;
    if (from === "configuration") return value;
    const { otherwise } = DECLARED_SETTINGS[field];
    return after[field] ?? (otherwise.from === "default" ? (otherwise.value as Declared[Field]) : value);
  };
  const everySeconds = inForce("everySeconds");
  const schedule = everySeconds === null ? inForce("schedule") : null;
  const timezone = unset.includes("timezone") ? zone : inForce("timezone")!;
  const isMoved = schedule !== monitor.schedule || timezone !== monitor.timezone;
  const grace = inForce("graceSeconds")!;
  const { late, took } = past ?? { late: [], took: [] };
  const longest = inForce("maxRuntimeSeconds");
  return {
    [everySeconds === null ? "schedule" : "everySeconds"]: (
      <SlotsInLine {...{ schedule, everySeconds, timezone, now }} />
    ),
    // After a change of the schedule or the zone nothing is said about the grace, because the reports would have come
    // at other times.
    graceSeconds: isMoved ? null : overInWords("reports came later", late, grace),
    maxRuntimeSeconds: longest === null ? usualInWords(took) : overInWords("runs took longer", took, longest),
  };
}
