// The message of a notice, as channels render it and the webhook sends it (R37). notice-details.ts makes its content.

import type { Instant } from "../time.ts";
import type { Instance } from "./instance.ts";
import type { Notice } from "./notice.ts";
import { detailsOf, type NoticeDetails } from "./notice-details.ts";

/** R37's fields that are empty here, since neither a notice nor a test is about an incident. */
export const NOT_APPLICABLE = {
  incidentId: null,
  applicationId: null,
  monitorKey: null,
  name: null,
  kind: null,
  cause: null,
  reason: null,
  status: null,
  severity: null,
  environment: null,
  owner: null,
  schedule: null,
  expectedAt: null,
  openedAt: null,
  recoveredAt: null,
  durationSeconds: null,
  missedSlots: null,
  failureMessage: null,
  outcomes: null,
  runId: null,
  url: null,
} as const;

export type NotApplicable = typeof NOT_APPLICABLE;

/** R37's `data` for a notice, with its content in `notice`. Additive only. */
export interface NoticeData extends NotApplicable {
  readonly teamName: string | null;
  readonly timezone: string;
  readonly onlyApplication: boolean;
  readonly commandUser: string | null;
  readonly links: Record<string, string>;
  readonly notice: NoticeDetails;
}

export interface NoticeMessage {
  readonly type: "service.notice";
  readonly at: Instant;
  readonly data: NoticeData;
}

/** The message of a notice. `at`: when it became worth sending. Orders and bounds the lists. */
export function noticeMessage(notice: Notice, at: Instant, instance: Instance): NoticeMessage {
  const { teamName, timezone, onlyApplication, commandUser } = instance;
  const told = { teamName, timezone, onlyApplication, commandUser };
  return {
    type: "service.notice",
    at,
    data: { ...NOT_APPLICABLE, ...told, links: {}, notice: detailsOf(notice) },
  };
}
