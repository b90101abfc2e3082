// Which applications a viewer may see, for lists that can be narrowed to one.

import { isRefusal } from "../domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { maySee, type Viewer } from "./viewer.ts";

/** By slug. */
export function applicationsFor(engine: Engine, viewer: Viewer): string[] {
  const listed = engine.as("host").operate("app list", {});
  return isRefusal(listed) ? [] : listed.applications.map(({ slug }) => slug).filter((slug) => maySee(viewer, slug));
}

/** What a list is narrowed to; null: nothing keeps anything from this viewer. `app` empty: all that they may see. */
export function narrowedTo(viewer: Viewer, app: string): readonly string[] | null {
  if (app === "") return viewer.applications;
  return maySee(viewer, app) ? [app] : [];
}
