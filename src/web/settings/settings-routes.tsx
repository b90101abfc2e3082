// `/settings`: the configuration in force, to look at. It concerns all applications, so it is for those who see all.

import { Elysia } from "elysia";
import { refuse } from "../../domain/errors.ts";
import { pageAnswer } from "../answer.tsx";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { mayAs } from "../viewer.ts";
import { SETTINGS_PATH, SettingsPage } from "./settings-page.tsx";

const FOR_ADMINISTRATORS = refuse("ACCESS_DENIED", "the settings are for administrators of all applications");

export const settingsRoutes = ({ inForce, ...parts }: PagesParts) =>
  new Elysia({ name: "settings" }).use(signedIn(parts)).get(SETTINGS_PATH, ({ request, viewer }) => {
    if (!mayAs(viewer, "admin") || viewer.applications !== null)
      return refusalPage(request, FOR_ADMINISTRATORS, viewer);
    return pageAnswer(
      request,
      <SettingsPage {...inForce} onDisk={inForce.onDisk()} viewer={viewer} look={lookOf(request)} />,
    );
  });
