// A socket of a service manager, on which systemd would listen for messages of its services. Bun has no datagrams of
// this family, so this uses the C library, as rollcall does.

import { rmSync } from "node:fs";
import { loadLibrary } from "../../src/http/c-library.ts";
import { until } from "./executable.ts";

export interface ServiceManager extends Disposable {
  /** The path that a service finds in NOTIFY_SOCKET. */
  readonly path: string;
  /** The datagrams that have come since the last call, each as its lines. */
  heard(): string[][];
  /** Waits for a datagram with this line, and returns the last lines of all that came until then. */
  hears(line: string): Promise<string[]>;
}

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;
const BYTES = 4_096;

/** `path` is where it listens; a path that begins with `@` is abstract, and no file. */
export function startServiceManager(path: string): ServiceManager {
  const { socket, bind, recv, close } = loadLibrary({
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    bind: { args: ["i32", "ptr", "u32"], returns: "i32" },
    recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
    close: { args: ["i32"], returns: "i32" },
  })!;
  const address = Buffer.concat([Buffer.of(AF_UNIX, 0), Buffer.from(path.replace(/^@/, "\0"))]);
  const descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (bind(descriptor, address, address.length) !== 0) throw new Error(`no socket at ${path}`);
  const bytes = Buffer.alloc(BYTES);

  function heard(): string[][] {
    const datagrams: string[][] = [];
    for (;;) {
      const length = Number(recv(descriptor, bytes, BYTES, MSG_DONTWAIT));
      if (length < 0) return datagrams;
      datagrams.push(bytes.toString("utf8", 0, length).split("\n"));
    }
  }

  return {
    path,
    heard,
    hears: (line) => until(line, () => heard().find((lines) => lines.includes(line)) ?? null),
    [Symbol.dispose]: () => {
      close(descriptor);
      if (!path.startsWith("@")) rmSync(path);
    },
  };
}
