// What the management socket answers, as types: the service writes them, the commands read them. Types only.

import type { KeyScope } from "../engine/contract.ts";

/** Answer to `POST /applications` with `{ slug }`. */
export interface CreatedApplication {
  readonly slug: string;
  /** ISO 8601, like every time here. */
  readonly createdAt: string;
}

/** One of the `keys` of `GET /keys[?application=SLUG]`, and the answer to `POST /keys/{id}/revoke`. */
export interface ListedKey {
  readonly id: number;
  readonly application: string;
  readonly scope: KeyScope;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

/** Answer to `POST /keys` with `{ application, scope }`: the only time a key is seen whole. */
export interface CreatedKey extends ListedKey {
  readonly key: string;
}
