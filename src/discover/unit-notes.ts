// Writes notes for people about settings of a unit that may keep a run from starting, delay it, or start it again.

import { lastSettingValue, spanSeconds, type UnitSetting } from "./unit-file.ts";

/**
 * Returns sentences about settings that may skip a run, keep it from starting or slow it down. A last sentence names
 * settings whose commands run only after `rollcall run` has reported the end of the job.
 */
export function preventingNotes(settings: readonly UnitSetting[], name: string): readonly string[] {
  const namesOf = (isMeant: (one: UnitSetting) => boolean): string =>
    [...new Set(settings.filter((one) => one.value !== "" && isMeant(one)).map((one) => `${one.name}=`))].join(", ");
  const skipping = namesOf(
    (one) => (one.section === "Unit" && one.name.startsWith("Condition")) || one.name === "ExecCondition",
  );
  const preventing = namesOf(
    (one) =>
      (one.section === "Unit" && (one.name.startsWith("Assert") || NEEDING.has(one.name))) ||
      (one.section === "Service" && NEEDING_FILES.has(one.name) && !/^(?:[-+!:]*-|~$)/.test(one.value)),
  );
  const later = namesOf((one) => one.section === "Service" && AFTERWARDS.has(one.name) && !one.value.startsWith("-"));
  const starving = namesOf((one) => one.section === "Service" && (STARVING[one.name]?.test(one.value) ?? false));
  return [
    ...(skipping === "" ? [] : [`${skipping} of ${name} may skip a run, and a run that is skipped counts as missed.`]),
    ...(preventing === ""
      ? []
      : [`${preventing} of ${name} may keep a run from starting, and such a run counts as missed.`]),
    ...(starving === ""
      ? []
      : [
          `${starving} of ${name} may let a run take long while the machine is busy: give it a grace that allows for that.`,
        ]),
    ...(later === "" ? [] : [`${later} of ${name} runs after the end is told: a failure there is not told.`]),
  ];
}

const NEEDING = new Set([
  ...["Requires", "Requisite", "BindsTo", "Conflicts", "RequiresMountsFor", "StartLimitBurst", "StartLimitIntervalSec"],
]);
/**
 * Settings that name files or commands. If such a file is missing, or such a command fails, the service does not start.
 */
const NEEDING_FILES = new Set([
  ...["ExecStartPre", "EnvironmentFile", "WorkingDirectory", "LoadCredential", "LoadCredentialEncrypted"],
  ...["ReadWritePaths", "ReadOnlyPaths", "BindPaths", "BindReadOnlyPaths"],
]);
const AFTERWARDS = new Set(["ExecStartPost", "ExecStop", "ExecStopPost"]);
const STARVING: Readonly<Record<string, RegExp>> = {
  Nice: /^1\d$/,
  CPUSchedulingPolicy: /^(?:idle|batch)$/,
  IOSchedulingClass: /^(?:idle|3)$/,
  CPUWeight: /^(?:idle|[1-9]|[1-4]\d)$/,
  IOWeight: /^(?:[1-9]|[1-4]\d)$/,
  CPUQuota: /./,
  MemoryHigh: /^(?!infinity)/,
};

/**
 * If systemd starts the service again after a failure, returns a note about that, and options with which `rollcall run`
 * retries instead. Then only the last attempt is reported. Returns `null` if systemd does not start the service again.
 */
export function restartNoteOf(settings: readonly UnitSetting[]) {
  const restart = lastSettingValue(settings, "Service", "Restart") ?? "no";
  const forced = lastSettingValue(settings, "Service", "RestartForceExitStatus") ?? "";
  if (restart === "no" && forced === "") return null;
  const seconds = spanSeconds(lastSettingValue(settings, "Service", "RestartSec") ?? "") ?? 0;
  const burst = Number(lastSettingValue(settings, "Unit", "StartLimitBurst") ?? STARTS_USUAL);
  const retries = Number.isInteger(burst) && burst > 1 ? burst - 1 : STARTS_USUAL - 1;
  return {
    says: `${restart === "no" ? `RestartForceExitStatus=${forced}` : `Restart=${restart}`} tries it again by itself: a try that fails would be told as a failure, though a later one may succeed.`,
    options: `--retries ${retries} --backoff ${Math.max(1, Math.round(seconds))}s `,
  };
}

/** How often systemd starts a unit in a row before it gives up, unless StartLimitBurst= says otherwise. */
const STARTS_USUAL = 5;
