// The report that a team may ask for (`alerts.report`): how its jobs fared since the last one, at the times of a cron
// expression. It goes where alerts without any specific route go.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { ListedReported, ReportDetails } from "../../domain/message/notice.ts";
import { usualLength } from "../../domain/monitor/run-lengths.ts";
import { nextSlot, slotsAround } from "../../domain/schedule/slots.ts";
import { reachOf, teamRoutes } from "../../domain/settings/alert-routes.ts";
import { type Instant, SECOND, toIso } from "../../domain/time.ts";
import { policyOfOutline } from "../../views/completed-monitors.ts";
import { eachMonitorPage, monitorSummary } from "../../views/monitor-summaries.ts";
import type { EngineContext } from "../engine-context.ts";
import { raiseNotice } from "../notices.ts";
import { inPiecesEveryMinute, type NoticeTools, type Review } from "./review.ts";

export function createTeamSummaries({ context, committer, announcer, background }: NoticeTools): Review {
  /** The instant after which each time of the schedule makes a summary due; `null` before the first check. */
  let since: Instant | null = null;

  function* report(now: Instant): InPieces<void> {
    const { policy, store } = context;
    const schedule = policy.report ?? null;
    if (schedule === null) {
      since = null;
      return;
    }
    const last = store.alerts.lastReportAt();
    // A report that was just switched on begins with the next time of its schedule. A last report after `now` was
    // written by a wrong clock.
    since ??= last !== null && last <= now ? last : now;
    const due = nextSlot(schedule, policy.timezone, since);
    if (due === null || due > now) return;
    const before = slotsAround(schedule, policy.timezone, due - 1).before ?? due;
    const notice = yield* reportOf(context, last !== null && last < due ? last : before, now);
    yield;
    announcer.notices([committer.one((at) => raiseNotice(context, notice, teamRoutes(context.policy, at), at))]);
    since = now;
  }
  return inPiecesEveryMinute(background, report);
}

/** How many jobs each list names, because more would not be read. */
const LISTED = 5;

/** How many incidents of one job are read for one report. */
const INCIDENTS_READ = 100;

function* reportOf(context: EngineContext, from: Instant, now: Instant): InPieces<ReportDetails> {
  const { store, policy } = context;
  const [flaky, slow, slower, untold]: ListedReported[][] = [[], [], [], []];
  let [monitorsTotal, reportedTotal, troubledTotal, openTotal, untoldTotal] = [0, 0, 0, 0, 0];
  const keep = (list: ListedReported[], rankOf: (one: ListedReported) => number, one: ListedReported): void => {
    list.push(one);
    list.sort((a, b) => rankOf(b) - rankOf(a)).splice(LISTED);
  };
  yield* eachMonitorPage(store, null, (listed) => {
    const outlines = store.monitorPages.outlines(listed.map(({ id }) => id)).filter(({ readable }) => readable);
    const ids = outlines.map(({ id }) => id);
    const past = Map.groupBy(store.recent.past(ids, from, INCIDENTS_READ), ({ monitorId }) => monitorId);
    const lengths = store.runLengths.of(ids);
    for (const outline of outlines) {
      const summary = monitorSummary(policy, outline, now);
      const { application: applicationId, key: monitorKey, name, timezone, lastPingAt } = summary;
      const usual = usualLength(lengths.get(outline.id) ?? []);
      const one: ListedReported = {
        applicationId,
        monitorKey,
        name,
        timezone,
        incidents: past.get(outline.id)?.length ?? 0,
        usualSeconds: usual === null ? null : Math.round(usual.usualMs / SECOND),
        slower: usual?.slower ?? null,
      };
      monitorsTotal++;
      if ((lastPingAt ?? 0) >= from) reportedTotal++;
      if (outline.incident !== null) openTotal++;
      if (one.incidents > 0) {
        troubledTotal++;
        keep(flaky!, ({ incidents }) => incidents, one);
      }
      if (one.usualSeconds !== null) keep(slow!, ({ usualSeconds }) => usualSeconds ?? 0, one);
      if (one.slower !== null) keep(slower!, (each) => each.slower!.times, one);
      if (reachOf(policyOfOutline(policy, outline), now).names.size > 0) continue;
      untoldTotal++;
      if (untold!.length < LISTED) untold!.push(one);
    }
  });
  const counts = { monitorsTotal, reportedTotal, troubledTotal, openTotal, untoldTotal };
  const lists = { flaky: flaky!, slow: slow!, slower: slower!, untold: untold! };
  return { kind: "report", from: toIso(from), to: toIso(now), ...counts, ...lists };
}
