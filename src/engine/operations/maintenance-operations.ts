// The operations on planned maintenance (R24): plan it, list it and end it.

import { isRefusal, refuseField } from "../../domain/errors.ts";
import { MAINTENANCE_SECONDS_MIN } from "../../domain/limits.ts";
import { nameOfActor } from "../../domain/people/person.ts";
import {
  checkMaintenance,
  MAINTENANCE_REASON_LENGTH,
  MAINTENANCE_SECONDS_MAX,
  MAINTENANCE_TARGETS_MAX,
  namedTimes,
} from "../../domain/schedule/planned.ts";
import { applicationPolicy, zonesNear } from "../../domain/settings/policy.ts";
import { meansLabel, targetMatcherOf } from "../../domain/settings/targets.ts";
import { durationText } from "../../domain/time.ts";
import { findApplication, findListed } from "../../views/find-named.ts";
import { maintenancesOf, shownMaintenance } from "../../views/maintenances.ts";
import { ENDED_MAINTENANCE, MAINTENANCES, PLANNED_MAINTENANCE } from "../../views/schemas/maintenance-schemas.ts";
import { aboutApplication, aboutOwner } from "./about.ts";
import { limitField, listedApplication, optionalSeconds, optionalText, rowNumber, wordsField } from "./fields.ts";
import { acts, looks, withoutAfterCommit } from "./operation.ts";

/**
 * How many planned maintenances one application may have that are not over. Each report of a job must be compared with
 * all of them.
 */
const OPEN_MAX = 100;

const TOO_MANY = refuseField(
  "monitors",
  `${OPEN_MAX} are planned for this application, the most there may be; end one first`,
);

export const MAINTENANCE_OPERATIONS = {
  "maintenance plan": acts({
    summary: "plan maintenance of monitors, or of a whole application: nothing is missed and no failure is told in it",
    notes: `Reports in it are recorded. It is a pause by hand with an end, so a person may
resume a monitor before. Monitors that come later under a pattern, or to the
application, are in it too. Times are meant in --timezone, unless "Z" or an
offset such as "+01:00" stands behind them.`,
    examples: [
      "--app prod --for 2h --reason 'kernel upgrade'",
      "'backup-*' --from '2026-03-01 02:00' \\\n      --until '2026-03-01 04:00' --reason 'a new disk'",
      "--app prod --schedule '0 4 * * 0' --for 2h \\\n      --reason 'weekly updates'",
    ],
    input: {
      monitors: wordsField(MAINTENANCE_TARGETS_MAX, {
        description:
          "keys, patterns in which * stands for any letters, or label:db for all with this label; none: all of the application",
        argument: "key",
        form: { label: "Jobs", help: null, as: "jobs" },
      }),
      application: optionalText({
        description: "the application (default: the only one)",
        option: "app",
        value: "slug",
        form: { label: "Application", help: null },
      }),
      from: optionalText({
        description: "when it begins (default: now)",
        option: "from",
        value: "time",
        form: { label: "From", as: "moment" },
      }),
      until: optionalText({
        description: "when it ends",
        option: "until",
        value: "time",
        form: { label: "Until", help: null, as: "moment" },
      }),
      durationSeconds: optionalSeconds(MAINTENANCE_SECONDS_MIN, MAINTENANCE_SECONDS_MAX, {
        description: `instead of --until: how long it lasts, 1m to ${durationText(MAINTENANCE_SECONDS_MAX)}`,
        option: "for",
        value: "duration",
        form: { label: "Or lasts", help: "Instead of its end: for how long.", sample: "2h" },
      }),
      schedule: optionalText({
        description: "instead of --from: when it begins each time, five fields as in crontab",
        option: "schedule",
        value: "cron",
        form: {
          label: "Again and again",
          help: "Instead of both times: a schedule of five fields.",
          sample: "0 4 * * 0",
          more: true,
        },
      }),
      timezone: optionalText({
        description: "the zone of the times and the schedule (default: the application's)",
        option: "timezone",
        value: "zone",
      }),
      reason: optionalText({
        description: "needed: why, for those who look",
        option: "reason",
        value: "text",
        form: { label: "Why", help: null, longest: MAINTENANCE_REASON_LENGTH, needed: true },
      }),
    },
    answer: PLANNED_MAINTENANCE,
    about: (context, { application }) => aboutOwner(context, application),
    inAudit: "planned maintenance",
    run: (context, wanted, now, by) => {
      const { store, policy, plans } = context;
      const owner = findApplication(context, wanted.application);
      if (isRefusal(owner)) return withoutAfterCommit(owner);
      const zone = zonesNear(applicationPolicy(policy, owner.slug))[0]!;
      const window = checkMaintenance(wanted, zone, now);
      if (isRefusal(window)) return withoutAfterCommit(window);
      const open = store.maintenances.open(now).filter(({ application }) => application === owner.slug);
      if (open.length >= OPEN_MAX) return withoutAfterCommit(TOO_MANY);
      const targets = [...new Set(wanted.monitors)];
      const reason = wanted.reason ?? "";
      const named = namedTimes(wanted, zone, now);
      const planned = { applicationId: owner.id, targets, window, named, reason, at: now, by: nameOfActor(by) };
      if (named !== null) store.zones.use(named.timezone);
      const id = store.maintenances.insert(planned);
      const maintenance = shownMaintenance(store.maintenances.find(id)!, now);
      const configured = [...(policy.applications.get(owner.slug)?.monitors ?? [])];
      const isMeant = (target: string): boolean =>
        // A label is compared in lower case, because labels are stored so.
        store.monitors.hasAlike(owner.id, meansLabel(target) ? target.toLowerCase() : target) ||
        configured.some(
          ([key, { labels }]) =>
            targetMatcherOf([target])(key, labels ?? null) && store.monitors.find(owner.id, key) !== null,
        );
      const unmatched = targets.filter((target) => !isMeant(target));
      return { ...withoutAfterCommit({ maintenance, unmatched }), begins: () => plans.begin(owner.id) };
    },
  }),
  "maintenance list": looks({
    summary: "list maintenance: what is now, what is planned, what the configuration sets, and what is over",
    examples: ["", "--app prod --json"],
    input: { application: listedApplication(), limit: limitField(20, " that are over") },
    answer: MAINTENANCES,
    about: (context, { application }) => aboutApplication(context, application),
    run: (context, { application, limit }, now) => {
      const owner = findListed(context, application);
      if (isRefusal(owner)) return owner;
      const applications = owner === null ? null : [owner.slug];
      return { maintenances: maintenancesOf(context, { applications, since: 0, limit }, now) };
    },
  }),
  "maintenance end": acts({
    summary: "end maintenance now, or call off what is planned; its monitors expect their next scheduled report",
    examples: ["3"],
    input: { id: rowNumber({ description: "its number, as `maintenance list` shows it", argument: "id" }) },
    answer: ENDED_MAINTENANCE,
    about: (context, { id }) => aboutApplication(context, context.store.maintenances.find(id)?.application ?? null),
    inAudit: "ended maintenance",
    run: (context, { id }, now, by) => {
      const { store, plans } = context;
      const found = store.maintenances.find(id);
      if (found === null) return withoutAfterCommit(refuseField("id", `there is no maintenance ${id}`, "NOT_FOUND"));
      const before = shownMaintenance(found, now);
      if (before.state === "past") return withoutAfterCommit({ changed: false, maintenance: before });
      store.maintenances.end(id, now, nameOfActor(by));
      const maintenance = shownMaintenance(store.maintenances.find(id)!, now);
      const owner = store.applications.find(found.application)!;
      return { ...withoutAfterCommit({ changed: true, maintenance }), begins: () => plans.begin(owner.id) };
    },
  }),
};
