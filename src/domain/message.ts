// What a delivery can carry: R37's `{type, timestamp, data}` with the instant still a number. The `type` tells which.

import type { AlertMessage } from "./alert.ts";
import type { NoticeMessage } from "./notice.ts";

export type Message = AlertMessage | NoticeMessage;
