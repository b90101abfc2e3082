// Says who did what, for the audit's page and command. Pure.

import { cleanLine } from "../../domain/text.ts";
import { durationText } from "../../domain/time.ts";
import type { AuditList } from "../schemas/person-schemas.ts";
import type { RowPart } from "./rows.ts";

export type AuditEntry = AuditList["entries"][number];

/** Who acted, such as `Ada`, `rollcall by command` or `rollcall itself`. */
export const whoActed = ({ name, by }: AuditEntry): RowPart[] =>
  name === null ? ["rollcall itself"] : [{ to: { actor: name }, text: name }, by === "system" ? " by command" : ""];

/** The network address from which the action came. Without one, the action was done on rollcall's own machine. */
export const fromWhere = ({ address }: AuditEntry): RowPart[] => [address ?? "this machine"];

/**
 * The job or application that an action was about; empty for neither. `several` is true when there are several
 * applications, so that a job's application is named too.
 */
export function aboutWhat({ application, monitorKey }: AuditEntry, several: boolean): RowPart[] {
  if (application === null) return [];
  if (monitorKey === null) return [application];
  const text = several ? `${application}/${monitorKey}` : monitorKey;
  return [{ to: { job: { application, key: monitorKey } }, text }];
}

const DETAIL_LENGTH = 80;

/**
 * What was asked for besides the job or application that the action was about, such as `duration 2h` or `Ben, role
 * operator`. Empty when nothing more was asked for.
 */
export function askedWhat({
  details,
  application,
  monitorKey,
}: Pick<AuditEntry, "details" | "application" | "monitorKey">): RowPart[] {
  const asked = Object.entries(details)
    .filter(([name, value]) => value !== null && value !== application && !(name === "key" && value === monitorKey))
    .map(([name, value]) => cleanLine(detailInWords(name, value), DETAIL_LENGTH))
    .join(", ");
  return asked === "" ? [] : [{ wrote: asked }];
}

function detailInWords(name: string, value: unknown): string {
  // What the action was about is shown by itself, as `Ben` and not as `name Ben`.
  if (name === "name" || name === "slug") return String(value);
  if (name === "id") return `number ${value}`;
  if (name.endsWith("Seconds") && typeof value === "number")
    return `${spaced(name.slice(0, -7))} ${durationText(value)}`;
  if (value === true) return spaced(name);
  return `${spaced(name)} ${valueInWords(value)}`;
}

function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueInWords).join(" ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object" || value === null) return String(value ?? "none");
  return Object.entries(value)
    .map(([name, part]) => detailInWords(name, part))
    .join(" ");
}

const spaced = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
