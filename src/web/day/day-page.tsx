// `/day`: what was due, what came, and what comes next: a lane a job, all on one axis.

import { raw } from "hono/html";
import type { PropsWithChildren } from "hono/jsx";
import { Document } from "../document.tsx";
import { Live, Part } from "../live/live-part.tsx";
import { livePath } from "../live/live-path.ts";
import type { Shown } from "../live/shown.ts";
import type { Look } from "../look.ts";
import type { Viewer } from "../viewer.ts";
import { DaySprite } from "./legend.tsx";
import type { DayView } from "./model.ts";
import { DAY_PATH, dayPath } from "./query.ts";

interface PageProps {
  readonly view: DayView;
  readonly shown: Shown;
  readonly viewer: Viewer;
  readonly look: Look;
}

export const DayPage = ({ view, shown, viewer, look }: PageProps) => (
  <Document title="Day" tone={view.headline.tone} viewer={viewer} look={look} path={DAY_PATH}>
    <DaySprite />
    <Around view={view} shown={shown}>
      <Part of={shown} id="headline" />
      <Part of={shown} id="day-controls" />
      {raw(shown.list?.html() ?? "")}
    </Around>
  </Document>
);

/** What is over does not change. */
const Around = ({ view, shown, children }: PropsWithChildren<{ view: DayView; shown: Shown }>) =>
  view.span.to < view.now ? <div>{children}</div> : <Live path={livePath(dayPath(view.query), shown)}>{children}</Live>;
