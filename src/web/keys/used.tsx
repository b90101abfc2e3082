// What pages say of a key besides its number: what people call it, and its last use.

import type { KeyScope } from "../../engine/api.ts";
import type { KeySummary } from "../../views/answers/applications.ts";
import { Ago, type Clocked } from "../parts/moment.tsx";
import { shownLine } from "../shown.ts";

/** `Key 3, web-1`. */
export const nameOf = ({ id, label }: Pick<KeySummary, "id" | "label">): string =>
  label === null ? `Key ${id}` : `Key ${id}, ${shownLine(label)}`;

interface UsedProps extends Clocked {
  readonly of: Pick<KeySummary, "lastUsedAt"> & { readonly lastUse: { readonly address: string } | null };
}

export const Used = ({ of: { lastUsedAt, lastUse }, ...shown }: UsedProps) =>
  lastUsedAt === null ? (
    <>never used</>
  ) : (
    <>
      used <Ago at={lastUsedAt} {...shown} />
      {lastUse === null ? "" : ` from ${lastUse.address}`}
    </>
  );

// What a key may do, in words.

/** The first is the usual one. */
export const SCOPES: readonly KeyScope[] = ["all", "ping", "sync"];

/** As the end of "it may be used for". */
export function scopeInWords(scope: KeyScope): string {
  switch (scope) {
    case "all":
      return "reports and syncs";
    case "ping":
      return "reports";
    case "sync":
      return "syncs";
    default:
      return scope satisfies never;
  }
}

/** Whether jobs can report with it. */
export const canReport = (scope: KeyScope): boolean => scope !== "sync";
