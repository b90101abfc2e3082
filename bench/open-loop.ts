// A load generator in a process of its own: sends at a steady rate, whether or not earlier requests were answered, and counts
// each answer's time from when its request was due. So a server that stalls is charged for all that waited meanwhile.

import { percentile } from "./figures.ts";
import type { Answered, Rate } from "./steady.ts";

interface Connection {
  /** When the request under way was due; null: none is. */
  dueAt: number | null;
  /** What has come of an answer that did not come in one piece. */
  received: string;
}

const plan: Rate & { readonly port: number } = JSON.parse(process.argv[2]!);
const { port, rate, connections } = plan;
const total = rate * plan.seconds;
const connection = connections === null ? "close" : "keep-alive";
const requests = plan.paths.map((path) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`),
);
const free: Bun.Socket<Connection>[] = [];
/** When the requests that found no connection free were due. */
const waiting: number[] = [];
const took: number[] = [];
/** How long after it was due each request was looked at. */
const late: number[] = [];
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
  if (connections === null) socket.end();
  else free.push(socket);
  const next = free.length > 0 ? waiting.shift() : undefined;
  if (next !== undefined) send(free.pop()!, next);
}

/** Throws when it breaks off before its answer. */
function ended({ data }: Bun.Socket<Connection>): void {
  if (data.dueAt !== null || connections !== null) throw new Error("the server closed a connection");
}

const connect = (open: (socket: Bun.Socket<Connection>) => void) =>
  Bun.connect<Connection>({
    hostname: "127.0.0.1",
    port,
    data: { dueAt: null, received: "" },
    socket: { open, data: receive, close: ended, error: ended },
  });

function begin(dueAt: number): void {
  late.push(performance.now() - dueAt);
  const socket = free.pop();
  if (socket !== undefined) send(socket, dueAt);
  else if (connections === null) void connect((fresh) => send(fresh, dueAt));
  else waiting.push(dueAt);
}

for (let count = 0; count < (connections ?? 0); count++) await connect((socket) => void free.push(socket));
const startedAt = plan.at === null ? performance.now() : performance.now() + plan.at - Date.now();
const dueAt = (index: number): number => startedAt + (index * 1_000) / rate;
if (plan.at !== null) await Bun.sleep(Math.max(0, plan.at - Date.now() - 100));

function turn(): void {
  for (; sent < total && dueAt(sent) <= performance.now(); sent += 1) begin(dueAt(sent));
  if (took.length < total) setImmediate(turn);
  else {
    const answered: Answered = {
      p50: percentile(took, 0.5),
      p99: percentile(took, 0.99),
      late: percentile(late, 0.99),
      failed,
    };
    console.log(JSON.stringify(answered));
    process.exit(0);
  }
}
turn();
