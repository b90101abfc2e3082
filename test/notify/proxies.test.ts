// HTTP_PROXY and its like: the proxy that we take to be in force is the one that the runtime asks, and a failure of the
// proxy is not told as the receiver's. Against real proxies; the runtime reads this process's environment.

import { afterEach, expect, test } from "bun:test";
import { createServer } from "node:http";
import { type ProxyEnvironment, proxyVariableFor } from "../../src/domain/proxy.ts";
import { destinationUrl, rememberSendingProxies, requestDestination } from "../../src/notify/post.ts";
import { ALERT_AT } from "../support/alerts.ts";

const VARIABLES = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [name, name.toUpperCase()]);

function set(environment: ProxyEnvironment): void {
  for (const name of VARIABLES) delete process.env[name];
  Object.assign(process.env, environment);
  rememberSendingProxies(process.env);
}

afterEach(() => set({}));

async function startServer(status: number, says: string) {
  const server = createServer((_, response) => response.writeHead(status).end(says)).on("connect", (_, socket) =>
    socket.end(`HTTP/1.1 ${status} ${says}\r\n\r\n`),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, port, [Symbol.asyncDispose]: async () => void server.close() };
}

const post = (url: string) =>
  requestDestination(
    { method: "POST", url: destinationUrl(url), headers: {}, body: "x" },
    { sentAt: ALERT_AT, timeoutMs: 5_000 },
  );

test("R40: the variable that we name is the one that the runtime obeys", async () => {
  await using receiver = await startServer(200, "receiver");
  await using proxy = await startServer(418, "proxy");
  const { port } = receiver;
  const named = { HTTP_PROXY: proxy.url };
  const cases: readonly ProxyEnvironment[] = [
    named,
    { http_proxy: proxy.url },
    { ALL_PROXY: proxy.url },
    { all_proxy: proxy.url },
    { HTTPS_PROXY: proxy.url },
    { HTTP_PROXY: "", http_proxy: proxy.url },
    { HTTP_PROXY: proxy.url, http_proxy: "" },
    ...["*", "127.0.0.1", `127.0.0.1:${port}`, "127.0.0.1:1", "127.0.0.0/8", "10.0.0.0/8", "other, 127.0.0.1"].map(
      (direct) => ({ ...named, NO_PROXY: direct }),
    ),
    { ...named, NO_PROXY: "other", no_proxy: "127.0.0.1" },
    { ...named, NO_PROXY: "127.0.0.1", no_proxy: "other" },
  ];
  for (const environment of cases) {
    set(environment);
    const isAsked = (await post(receiver.url)).answer.startsWith("HTTP 418");
    expect({ environment, isAsked }).toEqual({
      environment,
      isAsked: proxyVariableFor(receiver.url, environment) !== null,
    });
  }
});

test("R40: a proxy that is away, refuses, or is none is told as that, by the name of its variable", async () => {
  await using receiver = await startServer(200, "receiver");
  const told = async (environment: ProxyEnvironment, url: string) => {
    set(environment);
    return (await post(url)).answer;
  };
  const away = "http://127.0.0.1:1";
  expect(await told({ HTTP_PROXY: away }, receiver.url)).toBe("connection refused at the proxy that HTTP_PROXY names");
  expect(await told({ https_proxy: away }, "https://example.org/x")).toBe(
    "connection refused at the proxy that https_proxy names",
  );
  expect(await told({ ALL_PROXY: "http://proxy.invalid:3128" }, receiver.url)).toBe(
    "host name not found at the proxy that ALL_PROXY names",
  );
  expect(await told({ HTTP_PROXY: "socks5://127.0.0.1:1080" }, receiver.url)).toBe(
    "the proxy that HTTP_PROXY names is none over http, and no other is asked",
  );
  await using login = await startServer(407, "Proxy Authentication Required");
  expect(await told({ HTTP_PROXY: login.url }, receiver.url)).toBe(
    "HTTP 407 Proxy Authentication Required, the proxy that HTTP_PROXY names wants a login",
  );
  expect(await told({ HTTPS_PROXY: login.url }, "https://example.org/x")).toBe(
    "the proxy that HTTPS_PROXY names does not lead there (HTTP 407)",
  );
  await using broken = await startServer(503, "Service Unavailable");
  expect(await told({ HTTP_PROXY: broken.url }, receiver.url)).toBe(
    "HTTP 503 Service Unavailable, by way of the proxy that HTTP_PROXY names",
  );
  expect(await told({}, away)).toBe("connection refused");
  expect(await told({ HTTP_PROXY: broken.url, NO_PROXY: "127.0.0.1" }, away)).toBe("connection refused");
});
