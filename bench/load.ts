// A load generator in a process of its own: keeps connections busy for some time and prints what it measured as
// JSON. Plain sockets and the least parsing that is honest, so that it costs less than what it measures.

interface Plan {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** True: one connection for all requests of a slot; false: a new one for each. */
  readonly keepAlive: boolean;
  readonly paths: readonly string[];
}

const plan: Plan = JSON.parse(process.argv[2]!);
const connection = plan.keepAlive ? "keep-alive" : "close";
const requests = plan.paths.map((path) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`),
);

// Latencies in steps of 10 µs up to 2 s; the last step takes the rest.
const STEP = 0.01;
const histogram = new Uint32Array(200_000);
let answered = 0;
let failed = 0;
let next = 0;
let running = true;

interface Slot {
  sentAt: number;
  /** What has come of an answer that did not come in one piece. */
  received: string;
}

/** Bytes of the last whole answer. Answers hardly differ in length, and one of this length that begins well is whole. */
let usualLength = 0;
const OK = Buffer.from("HTTP/1.1 200");

function send(socket: Bun.Socket<Slot>): void {
  socket.data.sentAt = performance.now();
  socket.write(requests[next++ % requests.length]!);
}

function answeredIn(milliseconds: number, ok: boolean): void {
  if (!running) return;
  answered += 1;
  if (!ok) failed += 1;
  const step = Math.min(histogram.length - 1, Math.floor(milliseconds / STEP));
  histogram[step]! += 1;
}

const beginsWell = (bytes: Buffer): boolean => bytes.compare(OK, 0, OK.length, 0, OK.length) === 0;

/** Adds to what has come; null while the answer is not whole, else whether it is a 200. */
function gather(socket: Bun.Socket<Slot>, bytes: Buffer): boolean | null {
  const text = socket.data.received + bytes.toString("latin1");
  socket.data.received = isWhole(text) ? "" : text;
  if (socket.data.received !== "") return null;
  usualLength = text.length;
  return text.startsWith("HTTP/1.1 200");
}

/** Whether a whole answer has arrived: its head and as many bytes as it announces. */
function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /content-length: (\d+)/i.exec(text)?.[1] ?? "0";
  return text.length >= head + 4 + Number(length);
}

function open(): void {
  Bun.connect<Slot>({
    hostname: "127.0.0.1",
    port: plan.port,
    data: { sentAt: performance.now(), received: "" },
    socket: {
      open: (socket) => {
        const startedAt = socket.data.sentAt;
        send(socket);
        // What a new connection costs is part of what it is measured for.
        if (!plan.keepAlive) socket.data.sentAt = startedAt;
      },
      data: (socket, bytes) => {
        const ok =
          socket.data.received === "" && bytes.length === usualLength ? beginsWell(bytes) : gather(socket, bytes);
        if (ok === null) return;
        answeredIn(performance.now() - socket.data.sentAt, ok);
        if (plan.keepAlive && running) send(socket);
        else socket.end();
      },
      close: () => {
        if (running) open();
      },
      error: () => {
        failed += 1;
      },
    },
  }).catch(() => {
    failed += 1;
    if (running) setTimeout(open, 1);
  });
}

const percentile = (share: number): number => {
  let left = answered * share;
  for (const [step, count] of histogram.entries()) {
    left -= count;
    if (left <= 0) return Math.round((step + 1) * STEP * 100) / 100;
  }
  return histogram.length * STEP;
};

const startedAt = performance.now();
for (let slot = 0; slot < plan.connections; slot++) open();
setTimeout(() => {
  running = false;
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(
    JSON.stringify({ rate: Math.round(answered / seconds), p50: percentile(0.5), p99: percentile(0.99), failed }),
  );
  process.exit(0);
}, plan.seconds * 1_000);
