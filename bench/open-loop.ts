// A load generator in another process: it sends at a steady rate, whether or not earlier requests were answered, and
// counts each answer's time from when its request was due. So a server that stalls is charged for all requests that
// waited meanwhile.

import { percentile } from "./figures.ts";
import type { Answered, Rate } from "./steady.ts";

interface Connection {
  /** The instant at which the request under way was due; `null` when no request is under way. */
  dueAt: number | null;
  /** No part of the request's answer has come yet. */
  isNew: boolean;
}

/** Both servers answer a flat object of JSON: its closing brace is the last byte, and the only one. */
const LAST_BYTE = "}".charCodeAt(0);
/** The index of the status in `HTTP/1.1 200`. */
const STATUS_AT = 9;

const plan: Rate & { readonly port: number } = JSON.parse(process.argv[2]!);
const { port, rate, connections } = plan;
const total = rate * plan.seconds;
const connection = connections === null ? "close" : "keep-alive";
const requests = plan.paths.map((path) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`),
);
/**
 * The connection that has been free longest comes first: a server closes one that has sent nothing for ten seconds
 * after it was opened.
 */
const free: Bun.Socket<Connection>[] = [];
/** When the requests that found no free connection were due. */
const waiting: number[] = [];
const took: number[] = [];
/** How many milliseconds after it was due each request was handled by the generator. */
const late: number[] = [];
let failed = 0;
let sent = 0;

function send(socket: Bun.Socket<Connection>, dueAt: number): void {
  socket.data.dueAt = dueAt;
  socket.data.isNew = true;
  socket.write(requests[Math.floor(Math.random() * requests.length)]!);
}

function receive(socket: Bun.Socket<Connection>, bytes: Buffer): void {
  const { data } = socket;
  if (data.isNew && bytes.toString("latin1", STATUS_AT, STATUS_AT + 3) !== "200") failed += 1;
  data.isNew = false;
  if (data.dueAt === null || bytes[bytes.length - 1] !== LAST_BYTE) return;
  took.push(performance.now() - data.dueAt);
  data.dueAt = null;
  if (connections === null) socket.end();
  else free.push(socket);
  const next = free.length > 0 ? waiting.shift() : undefined;
  if (next !== undefined) send(free.shift()!, next);
  if (took.length === total) finish();
}

/** Throws when the connection ends before its answer. */
function ended({ data }: Bun.Socket<Connection>): void {
  if (data.dueAt !== null) throw new Error("the server closed a connection before its answer");
  if (connections !== null) throw new Error("the server closed an idle connection");
}

const connect = (open: (socket: Bun.Socket<Connection>) => void) =>
  Bun.connect<Connection>({
    hostname: "127.0.0.1",
    port,
    data: { dueAt: null, isNew: true },
    socket: { open, data: receive, close: ended, error: ended },
  });

function begin(dueAt: number): void {
  late.push(performance.now() - dueAt);
  const socket = free.shift();
  if (socket !== undefined) send(socket, dueAt);
  else if (connections === null) void connect((fresh) => send(fresh, dueAt));
  else waiting.push(dueAt);
}

for (let count = 0; count < (connections ?? 0); count++) await connect((socket) => void free.push(socket));
const startedAt = plan.at === null ? performance.now() : performance.now() + plan.at - Date.now();
const dueAt = (index: number): number => startedAt + (index * 1_000) / rate;
if (plan.at !== null) await Bun.sleep(Math.max(0, plan.at - Date.now() - 100));

const usedBefore = process.cpuUsage();

/** An answer that has not come after this many milliseconds will not come. */
const PATIENCE = 60_000;

function giveUp(): never {
  throw new Error(`${took.length} of ${total} requests were answered within ${PATIENCE / 1_000} s`);
}

function finish(): never {
  const { user, system } = process.cpuUsage(usedBefore);
  const answered: Answered = {
    p50: percentile(took, 0.5),
    p99: percentile(took, 0.99),
    most: percentile(took, 1),
    late: percentile(late, 0.99),
    each: (user + system) / 1e6 / total,
    failed,
  };
  console.log(JSON.stringify(answered));
  process.exit(0);
}

/** Reads the time without a pause, because a timer may be late by more than an answer takes. */
function turn(): void {
  for (; sent < total && dueAt(sent) <= performance.now(); sent += 1) begin(dueAt(sent));
  if (sent < total) setImmediate(turn);
}
setTimeout(giveUp, PATIENCE);
turn();
