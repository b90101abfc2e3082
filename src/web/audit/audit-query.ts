// What the address of the audit asks for. Everything that is not understood is left out.

import { AUDIT_PATH } from "../people/paths.ts";

export interface AuditQuery {
  /** Each empty: of all. */
  readonly by: string;
  readonly kind: string;
  readonly app: string;
  readonly job: string;
  /** Only what is older than this number; null: from the newest. */
  readonly before: number | null;
}

const LENGTH_MAX = 200;

export function readAuditQuery(search: URLSearchParams): AuditQuery {
  const text = (name: string): string => (search.get(name) ?? "").trim().slice(0, LENGTH_MAX);
  const before = Number(search.get("before"));
  return {
    by: text("by"),
    kind: text("kind"),
    app: text("app"),
    job: text("job"),
    before: Number.isSafeInteger(before) && before > 0 ? before : null,
  };
}

export function auditPath({ before, ...asked }: AuditQuery): string {
  const given = Object.entries({ ...asked, before: before === null ? "" : String(before) }).filter(([, text]) => text);
  return given.length === 0 ? AUDIT_PATH : `${AUDIT_PATH}?${new URLSearchParams(given)}`;
}
