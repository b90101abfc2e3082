// Sends the summary that a team may ask for (`alerts.report`, a cron expression): how its jobs did since the last
// summary. It goes to the destinations of the team, which get alerts by default.

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
  /**
   * When the last summary was written, or when summaries were switched on. The next one is due at the first time of the
   * schedule after this instant. `null` before the first check, and while summaries are switched off.
   */
  let since: Instant | null = null;

  function* report(now: Instant): InPieces<void> {
    const { policy, store } = context;
    const schedule = policy.report ?? null;
    if (schedule === null) {
      since = null;
      return;
    }
    const last = store.alerts.lastReportAt();
    // When summaries were just switched on, the first one comes at the next time of the schedule. A last summary later
    // than `now` was written under a wrong clock and is ignored.
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

/** How many jobs each list of a summary names. People would not read more. */
const LISTED = 5;

/** How many incidents of one job are counted for one summary at most. */
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
