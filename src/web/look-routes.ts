// Takes a person's choice of light, dark or high contrast, and goes back to where they were.

import { Elysia } from "elysia";
import { isRefusal } from "../domain/errors.ts";
import { redirect } from "./answer.tsx";
import { formOf, pathBack } from "./form.ts";
import { keepLook } from "./look.ts";
import { refusalPage } from "./refusal-page.tsx";

/** Needs no sign-in: the page for that has it too. */
export const lookRoutes = new Elysia({ name: "look" }).post(
  "/look",
  async ({ request }) => {
    const form = await formOf(request);
    if (isRefusal(form)) return refusalPage(request, form, null);
    return redirect(pathBack(form.get("back")), { "set-cookie": keepLook(form.get("look") ?? undefined) });
  },
  { parse: "none" },
);
