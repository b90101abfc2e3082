// What differs between the configuration in force and the one that would be read now, for people to look at. Tells no
// secret: of those only that they differ.

import type { EffectiveSetting } from "./effective.ts";

export interface ChangedSetting {
  /** Dotted, `server.listen`. */
  readonly key: string;
  /** As people write it; null: it is left out, or a secret. */
  readonly before: string | null;
  readonly after: string | null;
  readonly secret: boolean;
  /** Where the new value comes from; null: it is the default. */
  readonly from: string | null;
  readonly restart: boolean;
}

/** In the order of the new ones; what is there no more comes last. */
export function changedSettings(
  inForce: readonly EffectiveSetting[],
  now: readonly EffectiveSetting[],
): ChangedSetting[] {
  const before = new Map(inForce.map((setting) => [setting.key, setting]));
  const kept = new Set(now.map(({ key }) => key));
  return [
    ...now.flatMap((setting) => changeOf(before.get(setting.key) ?? null, setting)),
    ...inForce.filter(({ key }) => !kept.has(key)).flatMap((setting) => changeOf(setting, null)),
  ];
}

function changeOf(before: EffectiveSetting | null, after: EffectiveSetting | null): ChangedSetting[] {
  const isSame = before?.value === after?.value && before?.digest === after?.digest;
  const wasOrIsSet = isSet(before) || isSet(after);
  if (isSame || !wasOrIsSet) return [];
  return [
    {
      key: (after ?? before)!.key,
      before: before?.value ?? null,
      after: after?.value ?? null,
      secret: (before?.secret ?? false) || (after?.secret ?? false),
      from: after?.from ?? null,
      restart: (after ?? before)!.restart,
    },
  ];
}

const isSet = (setting: EffectiveSetting | null): boolean =>
  setting !== null && (setting.value !== null || setting.digest !== null);
