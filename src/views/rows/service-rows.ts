// The facts about rollcall itself that `rollcall status` and the page of its health show. Pure.

import { zoneRulesInWords } from "../../domain/wording/zone-words.ts";
import type { StatusSummary } from "../schemas/status-schemas.ts";
import { plainHttpParts } from "./received-rows.ts";
import { type FactRow, fact } from "./rows.ts";

export function serviceFacts({
  suspended,
  plainHttp,
  zoneRules,
}: Pick<StatusSummary, "suspended" | "plainHttp" | "zoneRules">): FactRow[] {
  const refused = plainHttpParts(plainHttp);
  return [
    ...(suspended.length === 0 ? [] : [fact("suspended", suspended.join(", "))]),
    ...(refused.length === 0 ? [] : [fact("warning", ...refused)]),
    fact("zone rules", zoneRulesInWords(zoneRules)),
  ];
}
