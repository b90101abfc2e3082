// Tells a service manager, such as systemd, when the service is ready, how it is, and that it does not hang.

import type { Log } from "../../domain/log.ts";
import { SECOND } from "../../domain/time.ts";
import type { Clock } from "../../engine/api.ts";
import { loadLibrary } from "../../http/c-library.ts";

export type Supervisor = ReturnType<typeof createSupervisor>;

interface SupervisorParts {
  /** Sends lines to the manager; `null` when no manager watches this process. */
  readonly send: SendState | null;
  /** The manager kills the process after this many milliseconds without a beat; `null` when it never does. */
  readonly patience: number | null;
  readonly clock: Pick<Clock, "monotonic">;
  /** Returns the time by the manager's clock: microseconds since the machine was started. */
  readonly machineClock: () => bigint;
}

const STATUS_EVERY = 30 * SECOND;

export function createSupervisor({ send, patience, clock, machineClock }: SupervisorParts) {
  const beatEvery = Math.min(STATUS_EVERY, (patience ?? Number.POSITIVE_INFINITY) / 2);
  let beatAt = Number.NEGATIVE_INFINITY;
  /** Lines that systemd could not take yet, such as `READY=1`. The next beat sends them again, within half a minute. */
  let unsaid: readonly string[] = [];

  const say = (...lines: readonly string[]): void => {
    unsaid = [...unsaid, ...lines];
    if (send === null || send(unsaid)) unsaid = [];
  };

  return {
    /**
     * Tells the manager that the service is ready: it hears callers and knows every deadline. `status` is a sentence
     * for people.
     */
    ready: (status: string): void => say("READY=1", statusLine(status)),
    /**
     * Tells the manager that the service does not hang; called at the end of each tick. When the disk refuses writes,
     * beats go on, because a restart would repair nothing. `status` is called only when something is sent.
     */
    beat: (status: () => string): void => {
      const now = clock.monotonic();
      const isDue = unsaid.length > 0 || now - beatAt >= beatEvery;
      if (send === null || !isDue || !send([...unsaid, "WATCHDOG=1", statusLine(status())])) return;
      unsaid = [];
      beatAt = now;
    },
    /** Tells the manager that the configuration is being read again, until `ready` is called. */
    reloading: (): void => {
      // The time is sent too: a manager that asked for the reload ignores a message that is older than its request.
      say("RELOADING=1", `MONOTONIC_USEC=${machineClock()}`, statusLine("reading the configuration again"));
    },
    stopping: () => say("STOPPING=1", statusLine("stopping")),
  };
}

/**
 * Returns the status that the manager shows, for example in `systemctl status`. Every user of the machine may read it,
 * so `troubles` are only those that `/readyz` tells to anyone.
 */
export const supervisorStatus = (url: string, troubles: readonly string[]): string =>
  [`listening on ${url}`, ...troubles].join("; ");

/**
 * Opens the connection to the manager (systemd) that the environment names. If it names none, nothing is sent. `pid` is
 * our own process: the manager's patience counts only if it is meant for this process.
 */
export function openSupervisor(environment: SupervisorEnvironment, pid: number, clock: Clock, log: Log): Supervisor {
  const { NOTIFY_SOCKET: path } = environment;
  const send = path ? openNotifySocket(path) : null;
  if (path && send === null) log("warn", "notify_socket_unusable", { path, rule: UNUSABLE });
  return createSupervisor({ send, patience: patienceFrom(environment, pid), clock, machineClock });
}

/** Bun compiles calls to the C library while it runs, which MemoryDenyWriteExecute=yes forbids. */
const UNUSABLE = "it must be a path or an abstract name, and a unit must not have MemoryDenyWriteExecute=yes";

type SupervisorEnvironment = Readonly<Record<string, string | undefined>>;

function patienceFrom(
  { WATCHDOG_USEC: microseconds, WATCHDOG_PID: forPid }: SupervisorEnvironment,
  pid: number,
): number | null {
  const isForThisProcess = forPid === undefined || forPid === String(pid);
  return isForThisProcess && /^[1-9]\d*$/.test(microseconds ?? "") ? Number(microseconds) / 1_000 : null;
}

const statusLine = (status: string): string => `STATUS=${status.replaceAll(/\s+/g, " ")}`;

// Sends messages to the socket on which a service manager listens (sd_notify). Bun has no datagrams for such sockets,
// so the C library sends them.

/**
 * Sends these lines as one datagram, without waiting. Returns false when the manager has no room for it now, or does
 * not listen.
 */
type SendState = (lines: readonly string[]) => boolean;

const AF_UNIX = 1;
const DATAGRAM_CLOSED_ON_EXEC = 0x02 | 0o2000000;
const WITHOUT_WAITING_OR_SIGNAL = 0x40 | 0x4000;
/** How many bytes the field `sun_path` of a socket's address has, with the zero at its end. */
const PATH_BYTES_MAX = 108;

/**
 * Opens the socket with this path, which comes from NOTIFY_SOCKET; an abstract name begins with `@`. The socket keeps
 * its file descriptor, so that it can still send when no file descriptor is free. Returns `null` when the path is not
 * valid, or this is not Linux.
 */
function openNotifySocket(path: string): SendState | null {
  const address = socketName(path);
  const library = loadLibrary({
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
  });
  const descriptor = address === null ? -1 : (library?.socket(AF_UNIX, DATAGRAM_CLOSED_ON_EXEC, 0) ?? -1);
  if (library === null || address === null || descriptor < 0) return null;
  return (lines) => {
    const bytes = Buffer.from(lines.join("\n"));
    const { length } = bytes;
    return (
      library.sendto(descriptor, bytes, length, WITHOUT_WAITING_OR_SIGNAL, address, address.length) === BigInt(length)
    );
  };
}

const CLOCK_MONOTONIC = 1;

/**
 * Returns CLOCK_MONOTONIC in microseconds; 0 if this is not Linux. Bun's own clock cannot be used, because it begins
 * with the process.
 */
function machineClock(): bigint {
  const time = new BigInt64Array(2);
  const library = loadLibrary({ clock_gettime: { args: ["i32", "ptr"], returns: "i32" } });
  if (library === null || library.clock_gettime(CLOCK_MONOTONIC, time) !== 0) return 0n;
  const [seconds = 0n, nanoseconds = 0n] = time;
  return seconds * 1_000_000n + nanoseconds / 1_000n;
}

/**
 * Returns the address as C has it (`sockaddr_un`): the family in the machine's byte order, then the path. In an
 * abstract name a zero byte takes the place of `@`.
 */
function socketName(path: string): Buffer | null {
  const name = Buffer.from(path);
  if (!/^[/@]./.test(path) || name.length >= PATH_BYTES_MAX) return null;
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer);
  return path.startsWith("@")
    ? Buffer.concat([family, Buffer.of(0), name.subarray(1)])
    : Buffer.concat([family, name, Buffer.of(0)]);
}
