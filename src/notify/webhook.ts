// The generic webhook: Standard Webhooks 1.0 (R37). For programs: the facts as they are, no words.

import { Webhook } from "standardwebhooks";
import type { AlertData } from "../domain/alert.ts";
import { isAlert, type Message } from "../domain/message.ts";
import type { NoticeData } from "../domain/notice.ts";
import type { ListedMonitor } from "../domain/notice-details.ts";
import type { TestData } from "../domain/test-message.ts";
import { type Instant, SECOND, toIso } from "../domain/time.ts";
import type { Channel } from "./channel.ts";
import { destinationUrl, post, SEND_TIMEOUT } from "./post.ts";

export interface WebhookSettings {
  readonly type: "webhook";
  /** A secret. */
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
}

/** Throws when the settings are none: a bad URL or secret, without repeating it. */
export function createWebhookChannel(settings: WebhookSettings, timeoutMs = SEND_TIMEOUT): Channel {
  const url = destinationUrl(settings.url);
  const signer = new Webhook(settings.secret);

  function headersFor(reference: string, sentAt: Instant, body: string): Record<string, string> {
    return {
      "content-type": "application/json",
      "webhook-id": reference,
      "webhook-timestamp": String(Math.floor(sentAt / SECOND)),
      "webhook-signature": signer.sign(reference, new Date(sentAt), body),
    };
  }

  return {
    type: "webhook",
    send: async ({ reference, message }, { sentAt, plain }) => {
      const body = bodyOf(message, plain);
      return post({ url, headers: headersFor(reference, sentAt, body), body, sentAt, timeoutMs });
    },
  };
}

/** `{type, timestamp, data}`; the timestamp is when it became true, the header's is when it was sent. */
function bodyOf(message: Message, plain: boolean): string {
  const { type, at, data } = message;
  return JSON.stringify({ type, timestamp: toIso(at), data: plain ? plainData(message) : data });
}

/** The same shape without what callers wrote or measured: what a receiver is most likely to choke on. */
function plainData(message: Message): Message["data"] {
  if (isAlert(message)) return plainAlert(message.data);
  // Programs get each alert by itself (R39).
  if (message.type === "monitor.digest") return message.data;
  return message.type === "service.notice" ? plainNotice(message.data) : plainTest(message.data);
}

const plainTest = (data: TestData): TestData => ({ ...data, name: data.monitorKey, links: {} });

const plainAlert = (data: AlertData): AlertData => ({
  ...data,
  name: data.monitorKey,
  failureMessage: null,
  outcomes: null,
  // Its sentence may repeat what a job sent.
  refusedReport: data.refusedReport && { ...data.refusedReport, reason: data.refusedReport.error },
  links: {},
});

/** With short lists besides: the length of the full ones may be what was not taken. */
function plainNotice(data: NoticeData): NoticeData {
  const { notice } = data;
  switch (notice.kind) {
    case "unheard": {
      const monitors = notice.monitors
        .slice(0, PLAIN_MAX)
        .map((monitor) => ({ ...unnamed(monitor), runs: monitor.runs.slice(0, PLAIN_MAX) }));
      return { ...data, notice: { ...notice, monitors } };
    }
    case "refused": {
      const monitors = notice.monitors.slice(0, PLAIN_MAX).map((monitor) => ({
        ...unnamed(monitor),
        fails: monitor.fails.slice(0, PLAIN_MAX).map(({ at }) => ({ at, message: null })),
      }));
      return { ...data, notice: { ...notice, monitors } };
    }
    case "rejected": {
      const monitors = notice.monitors.slice(0, PLAIN_MAX).map((monitor) => ({ ...unnamed(monitor), refused: [] }));
      return { ...data, notice: { ...notice, monitors } };
    }
    case "undelivered": {
      const monitors = notice.monitors
        .slice(0, PLAIN_MAX)
        .map((monitor) => ({ ...unnamed(monitor), messages: monitor.messages.slice(0, PLAIN_MAX) }));
      return { ...data, notice: { ...notice, answer: null, monitors } };
    }
    case "clock":
    case "storage":
      return data;
    case "drill":
      return { ...data, notice: { ...notice, monitor: unnamed(notice.monitor) } };
    default:
      return notice satisfies never;
  }
}

const PLAIN_MAX = 50;

const unnamed = <Monitor extends ListedMonitor>(monitor: Monitor): Monitor => ({
  ...monitor,
  name: monitor.monitorKey,
});
