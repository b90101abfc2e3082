// How SQL looks into what alerts tell, which is stored as JSON. No index knows it, and what cannot be read must not stop a
// query: it counts as telling nothing.

import type { Notice } from "../domain/message/notice.ts";

/** What the alert `a` tells at this path of its data, such as `notice.kind`; null where it tells nothing there. */
export const toldAt = (path: string): string => `json_extract(iif(json_valid(a.data), a.data, '{}'), '$.${path}')`;

/** The condition for the alert `a` to be a notice of this kind; notices belong to no incident. */
export const isNotice = (kind: Notice["kind"]): string =>
  `a.incident_id IS NULL AND a.type = 'service.notice' AND ${toldAt("notice.kind")} = '${kind}'`;
