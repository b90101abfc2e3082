// Terminals for following the README: shells with a process group of their own, so that Ctrl-C reaches what runs in
// them and nothing else; and a folder as `git clone` would leave it.

import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, until } from "./support/executable.ts";

/** A terminal in which a person starts a service. */
export interface ServiceTerminal extends AsyncDisposable {
  /** All that stands in it. */
  screen(): string;
  /** Waits until a line matches; throws when the service ends before. */
  shows(pattern: RegExp, patience: number): Promise<string>;
  /** Presses Ctrl-C and waits for the end. */
  interrupt(): Promise<void>;
}

/** A terminal in which a person runs one thing after the other; what one has set the next one finds. */
export interface Terminal extends AsyncDisposable {
  /** Runs the lines to their end, answers what they printed; throws when one of them fails. */
  run(lines: string, patience: number): Promise<string>;
}

/** The repository's files in a new folder, without what was built or fetched; the folder goes with its block. */
export function cloneRepository(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "rollcall-clone-"));
  // The checkout may belong to somebody else than who tests it.
  const list = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = Bun.spawnSync(["git", ...list], { cwd: ROOT, env: terminalEnvironment() });
  if (!listed.success) throw new Error(`git ls-files: ${listed.stderr}`);
  for (const file of listed.stdout.toString().split("\0")) {
    if (file !== "" && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(path, file));
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** Starts the lines in a terminal of their own, with these variables besides. */
export function startService(folder: string, lines: string, variables: Record<string, string>): ServiceTerminal {
  const { group, screen, hasEnded, kill } = startTerminal(folder, `set -euo pipefail\n${lines}`, variables);
  return {
    screen,
    shows: (pattern, patience) =>
      until(
        `${pattern} on the screen`,
        () => {
          const [found] = pattern.exec(screen()) ?? [];
          if (found === undefined && hasEnded()) throw new Error(`it ended:\n${screen()}`);
          return found ?? null;
        },
        patience,
      ),
    interrupt: async () => {
      process.kill(-group, "SIGINT");
      await until("the end after Ctrl-C", () => (hasEnded() ? true : null));
    },
    [Symbol.asyncDispose]: kill,
  };
}

/**
 * Reads names of files, runs each in the same shell, and prints a NUL when it has ended well. The mark comes behind all
 * that was printed, where a file could be there before the last output is read.
 */
const ONE_AFTER_THE_OTHER = `
set -euo pipefail
while read -r step; do
  source "$step" </dev/null
  printf '\\0'
done
`;

export function openTerminal(folder: string): Terminal {
  const steps = mkdtempSync(join(tmpdir(), "rollcall-steps-"));
  const { screen, hasEnded, kill, type } = startShell(folder, ONE_AFTER_THE_OTHER);
  let count = 0;
  return {
    run: async (lines, patience) => {
      count++;
      const step = join(steps, `step-${count}.sh`);
      const before = screen().length;
      writeFileSync(step, lines);
      type(`${step}\n`);
      try {
        const end = await until(
          "the end of the block",
          () => {
            const mark = screen().indexOf("\0", before);
            if (mark !== -1) return mark;
            if (hasEnded()) throw new Error("the block failed");
            return null;
          },
          patience,
        );
        return screen().slice(before, end);
      } catch (error) {
        throw new Error(`${error instanceof Error ? error.message : error}:\n${lines}\n${screen().slice(before)}`);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await kill();
      rmSync(steps, { recursive: true });
    },
  };
}

interface Shell {
  /** The id of its process group. */
  readonly group: number;
  screen(): string;
  /** Nothing of the group writes any more, and the shell is gone. */
  hasEnded(): boolean;
  type(text: string): void;
  kill(): Promise<void>;
}

/** In a terminal of the system's, for what shows itself to nobody else; its line ends are taken back. */
function startTerminal(folder: string, script: string, variables: Record<string, string>): Omit<Shell, "type"> {
  let screen = "";
  const decoder = new TextDecoder();
  const shell = Bun.spawn(["bash", "-c", script], {
    cwd: folder,
    env: { ...terminalEnvironment(), NO_COLOR: "1", ...variables },
    terminal: {
      cols: 500,
      data: (_, bytes) => {
        screen += decoder.decode(bytes, { stream: true }).replaceAll("\r\n", "\n");
      },
    },
  });
  return {
    group: shell.pid,
    screen: () => screen,
    hasEnded: () => shell.exitCode !== null || shell.signalCode !== null,
    kill: async () => {
      killGroup(shell.pid);
      await shell.exited;
      shell.terminal?.close();
    },
  };
}

function startShell(folder: string, script: string): Shell {
  // 2>&1: a terminal shows both, in the order in which they were written.
  const shell = Bun.spawn(["bash", "-c", `exec 2>&1\n${script}`], {
    cwd: folder,
    env: terminalEnvironment(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    detached: true,
  });
  let screen = "";
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of shell.stdout) screen += decoder.decode(bytes, { stream: true });
  };
  const closed = read();
  return {
    group: shell.pid,
    screen: () => screen,
    hasEnded: () => shell.exitCode !== null || shell.signalCode !== null,
    type: (text) => {
      shell.stdin.write(text);
      shell.stdin.flush();
    },
    kill: async () => {
      killGroup(shell.pid);
      await closed;
    },
  };
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    // There is nobody left in it.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** What the tests' own surroundings say of make, git, Bun's test runner and systemd is not there in a new terminal. */
const NOT_IN_A_TERMINAL = /^(?:GIT_|MAKE|MFLAGS$|ROLLCALL_|NODE_ENV$|TZ$|JOURNAL_STREAM$)/;

const terminalEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_IN_A_TERMINAL.test(name)));

/** Milliseconds. */
const ANSWERED_WITHIN = 60_000;

/** Runs the lines at a screen, and types each key once that has asked for it. The exit code and the whole screen. */
export async function answerAt(
  folder: string,
  lines: string,
  keys: readonly (readonly [asked: string, key: string])[],
) {
  const child = Bun.spawn(
    ["script", "--quiet", "--return", "--command", `stty cols 100 rows 40; ${lines}`, "/dev/null"],
    { cwd: folder, stdin: "pipe", stdout: "pipe", timeout: ANSWERED_WITHIN },
  );
  const left = [...keys];
  let screen = "";
  for await (const piece of child.stdout) {
    screen += Buffer.from(piece).toString();
    const [next] = left;
    if (next === undefined || !screen.includes(next[0])) continue;
    left.shift();
    child.stdin.write(next[1]);
    child.stdin.flush();
  }
  child.stdin.end();
  return [await child.exited, screen] as const;
}
