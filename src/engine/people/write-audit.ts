// Writes one action into the audit (who did what), in the transaction of that action. It must never be given a secret.

import { type Actor, nameOfActor } from "../../domain/people/person.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import type { About } from "../../views/find-named.ts";

interface AuditedAction {
  readonly action: string;
  readonly about: About | null;
  /** The values with which the action was asked for, without secrets. */
  readonly details: object;
}

export function audit({ store }: { readonly store: Store }, by: Actor, audited: AuditedAction, now: Instant): void {
  const { action, about, details } = audited;
  const reply = by.kind === "person" ? by.reply : undefined;
  store.audit.insert({
    at: now,
    personId: by.kind === "person" ? by.person.id : null,
    adminKeyId: by.kind === "key" ? by.key.id : null,
    name: by.kind === "system" ? by.name : nameOfActor(by),
    address: by.kind === "system" ? null : by.address,
    action,
    application: about?.application ?? null,
    monitorKey: about?.monitorKey ?? null,
    details: JSON.stringify({ ...details, ...(reply && { by: `a link in a message to ${reply.destination}` }) }),
    answer: reply?.link ?? null,
  });
}
