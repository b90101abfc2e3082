// Knows programs whose exit status does not say how their work ended, or that end before their work does. For each such
// program it has a sentence that says so, and for some it proposes edits of the command.

import { baseName, type Command, commandWords, isFeeding, startedByProgram, type Word } from "./script.ts";
import { type Edit, editsInWholeCommand, type Reading, type StatusFault, shortShellText } from "./status-fault.ts";

/** The fault of `echo $(job)`: the job's output becomes a word of another command, and its status is lost. */
export function ofHiddenJob(program: string, words: readonly Word[]): readonly StatusFault[] {
  if (!/^(?:echo|printf|logger|wall)$/.test(program)) return [];
  const source = words.map(({ text }) => text).join(" ");
  const [, inner] = /\$\(([^()]+)\)|`([^`]+)`/.exec(source) ?? [];
  if (inner === undefined || isFeeding(inner.trim().split(/\s+/))) return [];
  return [
    {
      says: `Its status is that of \`${program}\` alone: a failure of \`${shortShellText(inner)}\`, whose output it writes, would be told as a success.`,
      edits: null,
    },
  ];
}

type ProgramRule = (values: readonly string[], command: Command, reading: Reading) => StatusFault | null;

export function ofProgram(
  program: string,
  values: readonly string[],
  command: Command,
  reading: Reading,
): readonly StatusFault[] {
  const found = PROGRAM_RULES.find(([name]) => name.test(program))?.[1](values, command, reading) ?? null;
  return found === null ? [] : [found];
}

const has = (values: readonly string[], short: string, ...long: readonly string[]): boolean =>
  values
    .slice(1)
    .some(
      (value) =>
        long.some((one) => value === `--${one}` || value.startsWith(`--${one}=`)) ||
        (short !== "" && new RegExp(`^-[a-zA-Z]*${short}`).test(value)),
    );

const detached = (what: string): StatusFault => ({
  says: `\`${what}\` ends as soon as the job has been handed on: a failure of the job itself would be told as a success.`,
  edits: null,
});

const PROGRAM_RULES: readonly (readonly [RegExp, ProgramRule])[] = [
  [
    /^curl$/,
    (values, command, reading) =>
      has(values, "f", "fail", "fail-with-body", "fail-early")
        ? null
        : {
            says: "curl ends with 0 also when the server answers with an error, such as 500: without --fail that would be told as a success.",
            edits: afterName(command, reading, " --fail"),
          },
  ],
  [
    /^(?:lynx|links|elinks|w3m)$/,
    (values) => alwaysZero(values[0]!, "when the server answers with an error: curl --fail tells it"),
  ],
  [/^cronic$/, () => alwaysZero("cronic", "when the command that it runs fails")],
  [/^ftp$/, () => alwaysZero("ftp", "when a transfer has failed")],
  [
    /^psql$/,
    (values, command, reading) =>
      values.some((value) => /ON_ERROR_STOP/.test(value)) || has(values, "c", "command") || has(values, "l", "list")
        ? null
        : {
            says: "psql ends with 0 also when a statement of its script fails: without ON_ERROR_STOP that would be told as a success.",
            edits: afterName(command, reading, " -v ON_ERROR_STOP=1"),
          },
  ],
  [/^find$/, ofFind],
  [
    /^(?:dnf|yum)5?$/,
    (values) =>
      values.includes("check-update") || values.includes("check-upgrade")
        ? {
            says: `${baseName(values[0]!)} ends with 100 when there are updates: it would be told as a failure unless rollcall run gets --success-codes 100.`,
            edits: null,
          }
        : null,
  ],
  [
    /^checkupdates$/,
    () => ({
      says: "checkupdates ends with 2 when there are no updates: it would be told as a failure unless rollcall run gets --success-codes 2.",
      edits: null,
    }),
  ],
  [
    /^(?:diff|cmp|[ef]?grep|zgrep|pgrep|pidof|comm)$/,
    (values) => ({
      says: `${baseName(values[0]!)} ends with 1 when it finds ${/diff|cmp/.test(values[0]!) ? "a difference" : "nothing"}: it would be told as a failure.`,
      edits: null,
    }),
  ],
  [/^flock$/, ofFlock],
  [/^(?:run-one|setlock|lckdo|solo)$/, ofRunOne],
  [/^(?:at|batch)$/, (values) => detached(baseName(values[0]!))],
  [
    /^(?:sudo)$/,
    (values) => (has(values.slice(0, firstOperand(values)), "b", "background") ? detached("sudo -b") : null),
  ],
  [/^ssh$/, (values) => (has(values.slice(0, sshHost(values)), "f") ? detached("ssh -f") : null)],
  [
    /^setsid$/,
    (values) => (has(values.slice(0, firstOperand(values)), "f", "fork") ? detached("setsid --fork") : null),
  ],
  [/^sem$/, (values) => (has(values, "", "fg") ? null : detached("sem"))],
  [
    /^zpool$/,
    (values) =>
      values[1] === "status"
        ? alwaysZero("zpool status", "when a pool is degraded")
        : /^(?:scrub|trim|resilver)$/.test(values[1] ?? "") && !has(values, "[swp]", "wait")
          ? detached(`zpool ${values[1]}`)
          : null,
  ],
  [
    /^(?:php[\d.]*|artisan)$/,
    (values) =>
      values.includes("schedule:run")
        ? alwaysZero("artisan schedule:run", "when a task that it starts has failed")
        : null,
  ],
  [/^screen$/, (values) => (has(values, "d") ? detached("screen -d") : null)],
  [/^tmux$/, (values) => (has(values, "d") ? detached("tmux -d") : null)],
  [
    /^start-stop-daemon$/,
    (values) => (has(values, "b", "background") ? detached("start-stop-daemon --background") : null),
  ],
  [
    /^systemd-run$/,
    (values) =>
      has(values, "", "wait", "scope", "pty", "pipe", "shell") || has(values.slice(0, firstOperand(values)), "[tPS]")
        ? null
        : detached("systemd-run"),
  ],
  [/^systemctl$/, ofSystemctl],
  [/^(?:docker|podman|nerdctl)(?:-compose)?$/, ofDocker],
  [/^(?:kubectl|oc)$/, ofKubectl],
  [
    /^argo$/,
    (values) => (values[1] === "submit" && !has(values, "w", "wait", "watch") ? detached("argo submit") : null),
  ],
  [/^nomad$/, (values) => (/^nomad job (?:run|dispatch)\b/.test(verbsOf(values)) ? detached("nomad job") : null)],
  [/^gh$/, (values) => (/^gh workflow run\b/.test(verbsOf(values)) ? detached("gh workflow run") : null)],
  [
    /^(?:aws|az|gcloud)$/,
    (values) =>
      /--(?:no-wait|async)\b|--invocation-type[ =]Event\b/.test(values.join(" "))
        ? detached(baseName(values[0]!))
        : null,
  ],
  [/^daemonize$/, () => detached("daemonize")],
  [/^daemon$/, (values) => (has(values, "f", "foreground") ? null : detached("daemon"))],
  [
    /^redis-cli$/,
    (values) => (/\bbg(?:save|rewriteaof)\b/i.test(values.join(" ")) ? detached("redis-cli bgsave") : null),
  ],
  [
    /^smartctl$/,
    (values) => (has(values, "t", "test") && !has(values, "C", "captive") ? detached("smartctl -t") : null),
  ],
  [
    /^btrfs$/,
    (values) =>
      /^btrfs scrub start\b/.test(verbsOf(values)) && !has(values, "B") ? detached("btrfs scrub start") : null,
  ],
  [
    /^(?:terraform|tofu)$/,
    (values) =>
      values.includes("-detailed-exitcode")
        ? noFailure("terraform plan -detailed-exitcode", 2, "when there are changes")
        : null,
  ],
  [/^npm$/, (values) => (values[1] === "outdated" ? noFailure("npm outdated", 1, "when a package is outdated") : null)],
  [
    /^sqlplus$/,
    (values) => alwaysZero(values[0]!, "when a statement of its script fails, without WHENEVER SQLERROR EXIT FAILURE"),
  ],
  [/^sqlcmd$/, (values) => (has(values, "b") ? null : alwaysZero(values[0]!, "when a statement fails, without -b"))],
  [/^sftp$/, (values) => (has(values, "b") ? null : alwaysZero(values[0]!, "when a transfer fails, without -b"))],
  [
    /^https?$/,
    (values) =>
      has(values, "", "check-status")
        ? null
        : alwaysZero(values[0]!, "when the server answers with an error, without --check-status"),
  ],
  [
    /^(?:make|gmake)$/,
    (values) => (has(values, "i", "ignore-errors") ? alwaysZero("make -i", "when a command fails") : null),
  ],
  [
    /^(?:mysql|mariadb)$/,
    (values) => (has(values, "f", "force") ? alwaysZero("mysql --force", "when a statement fails") : null),
  ],
];

const verbsOf = (values: readonly string[]): string => {
  const words = values.slice(1).filter((value) => !value.startsWith("-"));
  return [baseName(values[0]!), ...words].join(" ");
};

const noFailure = (what: string, status: number, when: string): StatusFault => ({
  says: `${what} ends with ${status} ${when}: it would be told as a failure unless rollcall run gets --success-codes ${status}.`,
  edits: null,
});

/**
 * The fault of `systemctl start`, which without `--wait` waits for the end of a service only if the service has
 * Type=oneshot. `null` when systemctl waits, or does something else than start.
 */
function ofSystemctl(values: readonly string[], _: Command, { isOneshot }: Reading): StatusFault | null {
  if (has(values, "", "no-block")) return detached("systemctl --no-block");
  const [verb, ...units] = values.slice(1).filter((value) => !value.startsWith("-"));
  const isWaited = has(values, "", "wait") || units.every(isOneshot);
  return verb !== "start" || isWaited
    ? null
    : {
        says: `\`systemctl start\` waits only for the end of a service with Type=oneshot, which ${units.find((unit) => !isOneshot(unit))} is not: its failure after the start would be told as a success.`,
        edits: null,
      };
}

/**
 * The fault of `kubectl`, which ends before the cluster has done what was asked; `null` when it waits for that, or asks
 * for nothing of this kind.
 */
function ofKubectl(values: readonly string[]): StatusFault | null {
  const said = verbsOf(values);
  const [, verb] = /^\w+ (?:.* )?(create job|apply|rollout restart|run)\b/.exec(said) ?? [];
  const isAttached = verb === "run" && has(values, "i", "attach", "stdin");
  return verb === undefined || isAttached || has(values, "", "wait")
    ? null
    : detached(`${baseName(values[0]!)} ${verb}`);
}

const firstOperand = (values: readonly string[]): number => {
  const at = values.findIndex((value, place) => place > 0 && !value.startsWith("-"));
  return at < 0 ? values.length : at;
};

const SSH_WITH_WORD = /^-[a-zA-Z]*[BbcDEeFIiJLlmOopQRSWw]$/;

/** The index of the host among the words of an ssh command. A shell on that host reads the words after it. */
export function sshHost(values: readonly string[]): number {
  let place = 1;
  while (values[place]?.startsWith("-")) place += SSH_WITH_WORD.test(values[place]!) ? 2 : 1;
  return Math.min(place, values.length);
}

const alwaysZero = (what: string, when: string): StatusFault => ({
  says: `${baseName(what)} may end with 0 also ${when}: that would be told as a success.`,
  edits: null,
});

const afterName = (command: Command, reading: Reading, text: string): readonly Edit[] | null =>
  command.name === undefined
    ? null
    : editsInWholeCommand(reading, [{ at: command.name.end, end: command.name.end, text }]);

/**
 * The fault of `find`, which ignores the status of what it runs by `-exec … ;`. It does not ignore the status after
 * `-exec … +`. `null` when `find` runs nothing by `-exec … ;`.
 */
function ofFind(values: readonly string[], command: Command, reading: Reading): StatusFault | null {
  const isOnce = values.some((value) => /^-(?:exec|execdir|ok)$/.test(value)) && values.includes(";");
  if (!isOnce) return null;
  const words = commandWords(command);
  const ends = words.filter(({ value }) => value === ";");
  const isLast = ends.every((end) => words[words.indexOf(end) - 1]?.value === "{}");
  return {
    says: "find ends with 0 also when what it runs by -exec … ; fails: that would be told as a success.",
    edits: isLast
      ? editsInWholeCommand(
          reading,
          ends.map(({ pos, end }) => ({ at: pos, end, text: "+" })),
        )
      : null,
  };
}

function ofFlock(values: readonly string[], command: Command, reading: Reading): StatusFault | null {
  const started = startedByProgram(values);
  const at = started === null || started.is === "code" ? values.length : started.at;
  const own = values.slice(0, at);
  if (!has(own, "[nw]", "nb", "nonblock", "wait", "timeout")) return null;
  const isZero = /\s(?:-E|--conflict-exit-code)[ =]?0(?:\s|$)/.test(own.join(" "));
  return { ...overlapping(isZero), ...behindLock(started?.is === "command" ? at : null, command, reading) };
}

function ofRunOne(values: readonly string[], command: Command, reading: Reading): StatusFault | null {
  const started = startedByProgram(values);
  return { ...overlapping(false), ...behindLock(started?.is === "command" ? started.at : null, command, reading) };
}

const overlapping = (isZero: boolean) => ({
  says: `It ends with ${isZero ? "0" : "a failure"} also when the run before it still goes on: nothing has run then, and it would be told as a ${isZero ? "success" : "failure"}.`,
});

/**
 * Puts `rollcall run` behind the program that takes the lock. While another run has the lock, nothing is reported, and
 * the job may be late.
 */
function behindLock(at: number | null, command: Command, { text, offset }: Reading) {
  const isWhole = offset === 0 && text.slice(0, command.pos).trim() === "" && command.end >= text.trimEnd().length;
  const word = at === null ? undefined : commandWords(command)[at];
  return isWhole && word !== undefined
    ? { edits: [], behind: { before: text.slice(0, word.pos), from: word.pos, to: text.length } }
    : { edits: null };
}

function ofDocker(values: readonly string[]): StatusFault | null {
  const own = values.slice(1);
  const verb = own.find((value) => /^(?:run|exec|up|start)$/.test(value));
  if (verb === undefined) return null;
  const options = own.slice(own.indexOf(verb) + 1);
  const first = options.findIndex((value) => !value.startsWith("-"));
  const until = verb === "up" ? options : options.slice(0, first < 0 ? options.length : first);
  const isDetached = until.some((value) => /^-[a-zA-Z]*d[a-zA-Z]*$|^--detach(?:=true)?$/.test(value));
  const isStart = verb === "start" && !until.some((value) => /^-[a-zA-Z]*[ai]|^--attach/.test(value));
  const program = own[0] === "compose" ? `${baseName(values[0]!)} compose` : baseName(values[0]!);
  return isDetached || isStart ? detached(`${program} ${verb}${isStart ? "" : " -d"}`) : null;
}
