// What stands around the parts of a page that stays open: it connects, and puts what has changed in its place.

import { raw } from "hono/html";
import type { PropsWithChildren } from "hono/jsx";
import { Shape } from "../parts/shapes.tsx";
import type { Shown } from "./shown.ts";

export const Live = ({ path, children }: PropsWithChildren<{ path: string }>) => (
  <div hx-sse:connect={path} hx-swap="none">
    <p id="stale" class="trouble" role="status" hidden>
      <Shape standing="unknown" />
      <span>
        rollcall has not answered since <time data-as="ago" datetime="1970-01-01T00:00:00Z" />: this page shows how
        things stood then.
      </span>
    </p>
    {children}
  </div>
);

/** A part in its place. */
export const Part = ({ of, id }: { of: Shown; id: string }) => raw(of.parts.get(id) ?? "");
