// `/audit`: who did what, for administrators of all applications.

import { Elysia } from "elysia";
import { isRefusal } from "../../domain/errors.ts";
import { pageAnswer } from "../answer.tsx";
import { applicationsFor } from "../list-query.ts";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { AUDIT_PATH } from "../paths.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { asActor } from "../viewer.ts";
import { AuditPage, type AuditQuery, readAuditQuery } from "./audit-page.tsx";

const SHOWN = 50;

export const auditRoutes = ({ engine, ...parts }: PagesParts) =>
  new Elysia({ name: "audit" }).use(signedIn(parts)).get(AUDIT_PATH, ({ request, viewer }) => {
    const query = readAuditQuery(new URL(request.url).searchParams);
    const list = engine.as(asActor(viewer)).operate("audit", { ...asked(query), limit: SHOWN });
    if (isRefusal(list)) return refusalPage(request, list, viewer);
    const people = engine.as(asActor(viewer)).operate("user list", {});
    const names = isRefusal(people) ? [] : people.people.map(({ name }) => name);
    const props = { list, query, names, applications: applicationsFor(engine, viewer), viewer, look: lookOf(request) };
    return pageAnswer(request, <AuditPage {...props} {...engine.views.viewContext()} />);
  });

const asked = ({ by, kind, app, job, before }: AuditQuery) => ({
  name: by || null,
  kind: kind || null,
  application: app || null,
  monitorKey: job || null,
  ...(before === null ? {} : { before }),
});
