// The server with which rollcall is compared: a bare Bun.serve whose answer is a constant as long as the answer to a
// heartbeat. With a certificate and its key as arguments it speaks TLS.

const body = JSON.stringify({
  status: "ok",
  monitor: "bench-0000",
  pingedAt: "2026-03-01T02:00:00.000Z",
  warning: null,
});
const headers = { "content-type": "application/json" };

const [certificate, key] = process.argv.slice(2);
const tls =
  certificate === undefined || key === undefined ? {} : { tls: { cert: Bun.file(certificate), key: Bun.file(key) } };
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, ...tls, fetch: () => new Response(body, { headers }) });
console.log(server.port);
