// A load generator in a process of its own: sends at a steady rate, whether or not earlier requests were answered, and counts
// each answer's time from when its request was due. So a server that stalls is charged for all that waited meanwhile.

import { percentile } from "./figures.ts";

interface Plan {
  readonly port: number;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
  readonly paths: readonly string[];
}

interface Connection {
  /** When the request under way was due; null: none is. */
  dueAt: number | null;
  /** What has come of an answer that did not come in one piece. */
  received: string;
}

const plan: Plan = JSON.parse(process.argv[2]!);
const requests = plan.paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
const total = plan.rate * plan.seconds;
const free: Bun.Socket<Connection>[] = [];
/** When the requests that found no connection free were due. */
const waiting: number[] = [];
const took: number[] = [];
let failed = 0;
let sent = 0;

function send(socket: Bun.Socket<Connection>, dueAt: number): void {
  socket.data.dueAt = dueAt;
  socket.write(requests[Math.floor(Math.random() * requests.length)]!);
}

/** Whether a whole answer has arrived: its head and as many bytes as it announces. */
function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? "0");
  return text.length >= head + 4 + length;
}

function receive(socket: Bun.Socket<Connection>, bytes: Buffer): void {
  const { data } = socket;
  data.received += bytes.toString("latin1");
  if (data.dueAt === null || !isWhole(data.received)) return;
  if (!data.received.startsWith("HTTP/1.1 200")) failed += 1;
  took.push(performance.now() - data.dueAt);
  data.received = "";
  data.dueAt = null;
  const next = waiting.shift();
  if (next === undefined) free.push(socket);
  else send(socket, next);
}

function broken(): never {
  throw new Error("the server closed a connection");
}

for (let count = 0; count < plan.connections; count++) {
  const socket = await Bun.connect<Connection>({
    hostname: "127.0.0.1",
    port: plan.port,
    data: { dueAt: null, received: "" },
    socket: { data: receive, close: broken, error: broken },
  });
  free.push(socket);
}

const startedAt = performance.now();
const dueAt = (index: number): number => startedAt + (index * 1_000) / plan.rate;

function turn(): void {
  for (; sent < total && dueAt(sent) <= performance.now(); sent += 1) {
    const socket = free.pop();
    if (socket === undefined) waiting.push(dueAt(sent));
    else send(socket, dueAt(sent));
  }
  if (took.length < total) setImmediate(turn);
  else {
    console.log(JSON.stringify({ p50: percentile(took, 0.5), p99: percentile(took, 0.99), failed }));
    process.exit(0);
  }
}
turn();
