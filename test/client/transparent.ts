// Commands of every kind, each run by itself and by `rollcall run`: whoever started it must see no difference.

export interface Case {
  readonly command: readonly string[];
  /** What it finds on stdin. */
  readonly input?: string;
  /** Sent to whoever runs it, once it has written `ready`. */
  readonly signal?: NodeJS.Signals;
}

const sh = (script: string, more: Omit<Case, "command"> = {}): Case => ({ command: ["sh", "-c", script], ...more });

const EXIT_CODES = Array.from({ length: 64 }, (_, code) => sh(`exit ${code * 4 + (code % 4)}`));

/** All that end a process, and three that do not. */
const DEADLY =
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT XCPU XFSZ VTALRM PROF IO PWR SYS";
const HARMLESS = "CHLD URG WINCH CONT";
const ENDS = `${DEADLY} ${HARMLESS}`.split(" ").map((name) => sh(`kill -${name} $$; exit 5`));

const SENT = (["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM"] as const).flatMap(
  (signal) => {
    const name = signal.slice(3);
    return [
      // It ends by it; it hears it and goes its own way; it hears it and ends by it all the same; it does not care.
      sh("echo ready; exec sleep 20", { signal }),
      sh(`trap 'echo heard; exit 9' ${name}; echo ready; while :; do sleep 0.01; done`, { signal }),
      sh(`trap 'trap - ${name}; kill -${name} $$' ${name}; echo ready; while :; do sleep 0.01; done`, { signal }),
      sh(`trap '' ${name}; echo ready; sleep 0.5; exit 4`, { signal }),
    ];
  },
);

export const STREAMS = [
  ...["", "a", "a\n", "\0\0", "ä€😀", "no newline", "\r\n", "\u001B[31mred\u001B[0m"].flatMap((text) => [
    { command: ["printf", "%b", text.replaceAll("\0", "\\0")] },
    { command: ["cat"], input: text },
    sh("cat >&2; exit 3", { input: text }),
    sh("tee /dev/stderr", { input: text }),
  ]),
  ...[1, 100, 4_096, 65_536, 65_537, 1_000_000].flatMap((bytes) => [
    sh(`head -c ${bytes} /dev/zero`),
    sh(`head -c ${bytes} /dev/zero >&2; exit 1`),
    { command: ["wc", "-c"], input: "x".repeat(bytes) },
    { command: ["md5sum"], input: "x".repeat(bytes) },
  ]),
  sh("read line; echo $line; cat", { input: "first\nsecond\nthird" }),
  sh("exec >&-; exit 6"),
  sh("exec 2>&-; echo out; exit 6"),
  sh("echo out; echo err >&2; echo out"),
  sh("yes | head -n 3"),
  sh("(sleep 0.5; echo late) & echo early; wait"),
];

const SURROUNDINGS = [
  ...["env | sort", "pwd", "umask", "ulimit -a", "id", "nice", "echo $-", "ps -o pgid= -p $$", "ps -o sid= -p $$"].map(
    (script) => sh(script),
  ),
  sh("grep -E 'Sig(Blk|Ign)|CapEff|NoNewPrivs|Seccomp:' /proc/self/status"),
  sh("ls /proc/self/fd | wc -l"),
  sh("test -t 0; echo $?; test -t 1; echo $?; test -t 2; echo $?"),
];

const ARGUMENTS = [
  "",
  " ",
  "a b",
  "'",
  '"',
  "\\",
  "$HOME",
  "*",
  "--help",
  "--",
  "-x",
  "ä€",
  "\n",
  "%s",
  "--flush",
  "--json",
].flatMap((argument) => [
  { command: ["printf", "[%s]\\n", argument, "end"] },
  { command: ["sh", "-c", 'printf "<%s>" "$@"', "sh", argument] },
  { command: ["env", "printf", "%s", argument] },
]);

const FAULTS: readonly Case[] = [
  { command: ["/"] },
  { command: ["/etc/passwd"] },
  { command: ["/etc/passwd/below"] },
  { command: ["no-such-command-anywhere"] },
  { command: ["/no/such/command"] },
];

/** What a shell says of these on stderr is its own. */
export const ONLY_CODES: ReadonlySet<Case> = new Set(FAULTS);

export const CASES: readonly Case[] = [
  ...EXIT_CODES,
  ...ENDS,
  ...SENT,
  ...STREAMS,
  ...SURROUNDINGS,
  ...ARGUMENTS,
  ...FAULTS,
];
