// What a delivery can carry: R37's `{type, timestamp, data}` with the instant still a number. The `type` says which.

import type { AlertMessage } from "./alert.ts";
import type { DigestMessage } from "./digest.ts";
import type { NoticeMessage } from "./notice.ts";
import type { TestMessage } from "./test-message.ts";

export type Message = AlertMessage | DigestMessage | NoticeMessage | TestMessage;

export const isAlert = (message: Message): message is AlertMessage =>
  message.type !== "monitor.digest" && message.type !== "service.notice" && message.type !== "destination.test";
