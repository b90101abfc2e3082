// The operations on applications (R3), groups of monitors with their own API keys, and on their status pages.

import { checkSlug, SLUG_LENGTH } from "../../domain/api-key.ts";
import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { KEEP_DELETED, NAME_LENGTH } from "../../domain/limits.ts";
import { hasRoute, statusPageSectionName } from "../../domain/settings/kept.ts";
import { checkLine } from "../../domain/text.ts";
import type { Instant } from "../../domain/time.ts";
import { findApplication } from "../../views/find-named.ts";
import {
  ADDED_STATUS_PAGE,
  APPLICATIONS,
  CHANGED_APPLICATION,
  type ChangedApplication,
  CREATED_APPLICATION,
  DELETED_APPLICATION,
  REMOVED_STATUS_PAGE,
  STATUS_PAGES,
} from "../../views/schemas/application-schemas.ts";
import { listApplications } from "../../views/shown-monitor.ts";
import { aboutApplication } from "./about.ts";
import { flag, listedApplication, optionalText, text } from "./fields.ts";
import { acts, looks, type Operated, type OperationContext, withoutAfterCommit } from "./operation.ts";

/**
 * Suspends the application at `at`, or resumes it when `at` is `null`. Nothing changes when it is suspended, or active,
 * already. Its monitors are paused or resumed after the transaction (R3).
 */
function setSuspended(
  context: OperationContext,
  slug: string,
  at: Instant | null,
): Operated<ChangedApplication | Refusal> {
  const { store, keyring } = context;
  const found = findApplication(context, slug);
  if (isRefusal(found)) return withoutAfterCommit(found);
  const changed = (found.suspendedAt === null) !== (at === null);
  if (changed) {
    store.applications.suspend(found.id, at);
    keyring.forget();
  }
  return { answer: changedApplication(context, slug, changed), afterCommit: null, follows: true };
}

const IS_CONFIGURED = "the configuration names it, and the next start would create it again; take it out there first";
const HAS_PAGE = "it has a status page; `status-page remove` takes that away first";
const HAS_ROUTE =
  "alerts of it have destinations of their own, as `destination list` shows; `destination route` without names takes that back first";
const IS_ONLY_ONE = "it is the only one; create another first, or suspend it";

const undeletable = (slug: string, why: string): Refusal =>
  refuseField("slug", `application "${slug}" is not deleted: ${why}`);

const changedApplication = (context: OperationContext, slug: string, changed: boolean): ChangedApplication => ({
  changed,
  application: listApplications(context).find((application) => application.slug === slug)!,
});

const ONE_APPLICATION = {
  slug: text({ description: "the application's slug, as `app list` shows it", argument: "slug" }),
};

const about = (context: OperationContext, { slug }: { readonly slug: string }) => aboutApplication(context, slug);

export const APPLICATION_OPERATIONS = {
  "app create": acts({
    summary: "create an application",
    examples: ["prod"],
    input: {
      slug: text({
        description: "1 to 40 lowercase letters, digits and hyphens",
        argument: "slug",
        form: { label: "Name in keys", longest: SLUG_LENGTH },
      }),
    },
    answer: CREATED_APPLICATION,
    role: "admin",
    inAudit: "created an application",
    run: ({ store }, { slug }, now) => {
      const wrong = checkSlug(slug);
      if (wrong !== null) return withoutAfterCommit(wrong);
      if (store.applications.find(slug) !== null)
        return withoutAfterCommit(refuseField("slug", `application "${slug}" exists already`));
      return withoutAfterCommit(store.applications.create(slug, now));
    },
  }),
  "app list": looks({
    summary: "list applications, how many monitors each has, and which are suspended",
    examples: ["", "--json"],
    input: {},
    answer: APPLICATIONS,
    run: (context) => ({ applications: listApplications(context) }),
  }),
  "app suspend": acts({
    summary: "suspend an application: its reports are refused, and nothing of it is missed or told",
    notes: `Its keys get 403 until \`app resume\`. Its monitors are paused: reports are not
expected, and open incidents stay open and are not reminded of. Pauses by hand
stay as they are, beneath.`,
    examples: ["staging"],
    input: ONE_APPLICATION,
    answer: CHANGED_APPLICATION,
    role: "admin",
    about,
    inAudit: "suspended an application",
    run: (context, { slug }, now) => setSuspended(context, slug, now),
  }),
  "app resume": acts({
    summary: "resume a suspended application: each monitor expects its next scheduled report",
    examples: ["staging"],
    input: ONE_APPLICATION,
    answer: CHANGED_APPLICATION,
    role: "admin",
    about,
    inAudit: "resumed an application",
    run: (context, { slug }) => setSuspended(context, slug, null),
  }),
  "app rename": acts({
    summary: "say what people call an application; its slug stays, and with it its keys",
    notes: `A name in the configuration wins over this one. Without a name the application
is known by its slug.`,
    examples: ["prod Production", "prod"],
    input: {
      ...ONE_APPLICATION,
      name: optionalText({ description: "1 to 200 characters; left out: none", argument: "name" }),
    },
    answer: CHANGED_APPLICATION,
    role: "admin",
    about,
    inAudit: "renamed an application",
    run: (context, { slug, name }) => {
      const found = findApplication(context, slug);
      if (isRefusal(found)) return withoutAfterCommit(found);
      const wrong = name === null ? null : checkLine("name", name, NAME_LENGTH);
      if (wrong !== null) return withoutAfterCommit(wrong);
      context.store.applications.rename(found.id, name);
      return withoutAfterCommit(changedApplication(context, slug, found.name !== name));
    },
  }),
  "app delete": acts({
    summary: "delete an application: its keys stop at once, its monitors go, their history after 7 days",
    notes: `Open incidents are closed, and their recovery told. One that the configuration
names cannot be deleted, nor can the only one.`,
    examples: ["staging", "staging --yes"],
    input: ONE_APPLICATION,
    answer: DELETED_APPLICATION,
    role: "admin",
    confirm: true,
    about,
    inAudit: "deleted an application",
    run: (context, { slug }, now) => {
      const { store, policy, keyring, kept } = context;
      const found = findApplication(context, slug);
      if (isRefusal(found)) return withoutAfterCommit(found);
      if (kept.find(statusPageSectionName(slug)) !== null) return withoutAfterCommit(undeletable(slug, HAS_PAGE));
      if (hasRoute(kept.all(), slug)) return withoutAfterCommit(undeletable(slug, HAS_ROUTE));
      if (policy.applications.has(slug)) return withoutAfterCommit(undeletable(slug, IS_CONFIGURED));
      if (store.applications.count() === 1) return withoutAfterCommit(undeletable(slug, IS_ONLY_ONE));
      const monitors = store.monitorPages.counts().get(found.id) ?? 0;
      const keys = store.keys.list(found.id).filter(({ revokedAt }) => revokedAt === null || revokedAt > now);
      for (const { id } of keys) store.keys.revoke(id, now);
      store.applications.delete(found.id, now);
      keyring.forget();
      const answer = { slug, monitors, keys: keys.length, historyUntil: now + KEEP_DELETED };
      return { answer, afterCommit: null, follows: true };
    },
  }),
};

// Below: status pages, for people without an account. An application has at most one. If the configuration file has one
// for it, that one counts (R31).

const JOBS_RULE = 'must be keys of jobs, or patterns, such as "nightly-*,web"';

export const STATUS_PAGE_OPERATIONS = {
  "status-page add": acts({
    summary: "share how an application's jobs are with everybody who knows the address",
    notes: `It needs no sign-in: the address is the secret, and nothing tells it but this
answer and \`status-page list\`. Badges are at the same address with /badges.
Given again, it changes the page, and the address with it.

It is kept in the database. One that the configuration has is not changed: the
file wins.`,
    examples: ["web", "web --jobs 'nightly-*,reports' --title Backups"],
    input: {
      ...ONE_APPLICATION,
      jobs: optionalText({
        description: "keys of the jobs to show, with commas; * stands for any letters (default: all)",
        option: "jobs",
        value: "keys",
        form: { label: "Jobs", help: null, as: "jobs" },
      }),
      title: optionalText({
        description: "what stands on top of it (default: the application's name)",
        option: "title",
        value: "title",
        form: { label: "Title", help: "What stands on top of it; left out: the application's name." },
      }),
      messages: flag({
        description: "also say what jobs reported about their failures",
        option: "messages",
        form: { label: "Also show what jobs said of their failures" },
      }),
    },
    answer: ADDED_STATUS_PAGE,
    role: "admin",
    about,
    inAudit: "added a status page",
    run: (context, { slug, jobs, title, messages }) => {
      const found = findApplication(context, slug);
      if (isRefusal(found)) return withoutAfterCommit(found);
      const shown = (jobs ?? "*").split(",").map((key) => key.trim());
      if (shown.includes(""))
        return withoutAfterCommit(refuseField("jobs", `names no job, or none between two commas, ${JOBS_RULE}`));
      const named = title === null ? {} : { title };
      const settings = { token: context.randomSecret(), jobs: shown.join(), messages: String(messages), ...named };
      const { kept, statusPages } = context;
      const name = statusPageSectionName(slug);
      const replaced = kept.find(name) !== null;
      const refused = kept.change({ save: [{ name, settings }] });
      return withoutAfterCommit(refused ?? { application: slug, ...statusPages.addressed(settings.token), replaced });
    },
  }),
  "status-page list": looks({
    summary: "list status pages with their addresses, and what set up each",
    examples: ["", "--json"],
    input: { application: listedApplication() },
    answer: STATUS_PAGES,
    role: "admin",
    tellsSecret: true,
    about: (context, { application }) => aboutApplication(context, application),
    run: ({ statusPages }, { application }) => ({
      pages: statusPages.list().filter((page) => application === null || page.application === application),
    }),
  }),
  "status-page remove": acts({
    summary: "remove the status page that a command added: its address and its badges lead nowhere",
    examples: ["web", "web --yes"],
    input: ONE_APPLICATION,
    answer: REMOVED_STATUS_PAGE,
    role: "admin",
    confirm: true,
    about,
    inAudit: "removed a status page",
    run: ({ kept }, { slug }) => {
      const named = { field: "slug", called: "application" };
      const missing = refuseField(named, `${JSON.stringify(slug)} has no status page`, "NOT_FOUND");
      return withoutAfterCommit(kept.remove(statusPageSectionName(slug), missing) ?? { application: slug });
    },
  }),
};
