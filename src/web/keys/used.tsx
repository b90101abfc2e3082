// What pages say of a key besides its number: what people call it, and its last use.

import type { Instant } from "../../domain/time.ts";
import type { KeySummary } from "../../views/answers/applications.ts";
import { Ago } from "../parts/moment.tsx";
import { shownLine } from "../shown.ts";

/** `Key 3, web-1`. */
export const nameOf = ({ id, label }: Pick<KeySummary, "id" | "label">): string =>
  label === null ? `Key ${id}` : `Key ${id}, ${shownLine(label)}`;

interface UsedProps {
  readonly of: Pick<KeySummary, "lastUsedAt"> & { readonly lastUse: { readonly address: string } | null };
  readonly now: Instant;
  readonly timezone: string;
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
