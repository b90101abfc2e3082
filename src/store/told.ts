// How SQL reads the data of alerts, which is stored as JSON. It has no index, and an unreadable row must not stop a
// query: it counts as empty.

import type { Notice } from "../domain/message/notice.ts";

/** The value at this path in the data of the alert `a`, such as `notice.kind`; null where there is none. */
export const toldAt = (path: string): string => `json_extract(iif(json_valid(a.data), a.data, '{}'), '$.${path}')`;

/** The condition that the alert `a` is a notice of this kind; notices belong to no incident. */
export const isNotice = (kind: Notice["kind"]): string =>
  `a.incident_id IS NULL AND a.type = 'service.notice' AND ${toldAt("notice.kind")} = '${kind}'`;
