// Why a ping cannot be recorded or an alert cannot be delivered right now, in sentences (`/readyz`).

import { type ReachedAudience, unheardOf } from "../../domain/settings/reach.ts";
import { STORAGE_FAULT_WORDS } from "../../domain/storage-fault.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { ClockWatch } from "../clock/clock-watch.ts";
import type { MonitorMemory } from "../clock/monitor-memory.ts";
import type { EngineTools } from "../tools.ts";

interface TroublesParts extends EngineTools {
  readonly clockWatch: ClockWatch;
  readonly memory: MonitorMemory;
  readonly hostTrouble: () => string | null;
}

export function createTroubles(parts: TroublesParts) {
  const { context, committer, clockWatch, clock, memory, hostTrouble } = parts;

  /** What keeps the whole service from its work. */
  function ours(): string[] {
    const fault = committer.failing()?.fault;
    const storage = fault === undefined ? null : STORAGE_FAULT_WORDS[fault];
    return [storage, clockWatch.trouble(clock.now()), hostTrouble()].filter((trouble) => trouble !== null);
  }

  /**
   * Why we cannot record a ping or deliver an alert right now; empty when all is well (`/readyz`). For `anyone`, it
   * names no application or destination and repeats no receiver's answer. `slugs`: only of these applications; null: of
   * all.
   */
  function all(audience: ReachedAudience = "operator", slugs: readonly string[] | null = null): readonly string[] {
    const { size } = memory.unreadable;
    // Whose they are cannot be read either.
    const unread = size === 0 || slugs !== null ? [] : [`${counted(size, "monitor")} cannot be read, the log has more`];
    const applications = context.store.applications.list().filter(({ slug }) => slugs === null || slugs.includes(slug));
    const unheard = unheardOf(context.policy, context.failing(), applications, audience);
    return [...ours(), ...unread, ...unheard];
  }

  return { ours, all };
}
