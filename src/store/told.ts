// How SQL looks into the data of alerts, which is stored as JSON. No index knows it, and an unreadable row must not stop a
// query: it counts as empty.

import type { Notice } from "../domain/message/notice.ts";

/** What the alert `a` tells at this path of its data, such as `notice.kind`; null where it tells nothing there. */
export const toldAt = (path: string): string => `json_extract(iif(json_valid(a.data), a.data, '{}'), '$.${path}')`;

/** The condition for the alert `a` to be a notice of this kind; notices belong to no incident. */
export const isNotice = (kind: Notice["kind"]): string =>
  `a.incident_id IS NULL AND a.type = 'service.notice' AND ${toldAt("notice.kind")} = '${kind}'`;
