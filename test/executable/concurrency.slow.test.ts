// Many requests at one moment, as a hundred machines with one crontab send them: what each is answered, and what then
// stands in the database.

import { expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { firstKeyOf, openFolder, type Service } from "../support/executable.ts";
import { type Answer, parseAnswer } from "../support/http-client.ts";

setDefaultTimeout(120_000);

const SCHEDULE = "schedule=0+2+*+*+*";
const UNLIMITED = "[limits]\nv1_per_minute = 0\nv1_per_hour = 0\n";

/** One request; `line` is without the HTTP version. */
const request = (line: string, ...head: readonly string[]): string =>
  `${[`${line} HTTP/1.1`, "Host: localhost", "Connection: close", ...head].join("\r\n")}\r\n\r\n`;

/** Opens a connection for each request, and only when all are open sends them all. */
async function sendAtOnce(service: Service, requests: readonly string[]): Promise<Answer[]> {
  const port = Number(new URL(service.url).port);
  const sockets = await Promise.all(requests.map(() => opened(port)));
  const answers = sockets.map(received);
  for (const [place, socket] of sockets.entries()) socket.write(requests[place]!);
  return (await Promise.all(answers)).map(parseAnswer);
}

const opened = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.on("error", reject);
  });

const received = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    socket.on("data", (part: Buffer) => {
      text += part.toString("utf8");
    });
    socket.on("close", () => resolve(text));
  });

const countsOf = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

test("1,000 first pings of one monitor at one moment make one monitor, and all are recorded", async () => {
  await using folder = openFolder({ "rollcall.toml": UNLIMITED });
  const service = await folder.serve();
  const key = firstKeyOf(service);
  const answers = await sendAtOnce(
    service,
    Array.from({ length: 1_000 }, () => request(`GET /api/v1/ping/backup/${key}?${SCHEDULE}`)),
  );
  expect(countsOf(answers)).toEqual({ 200: 1_000 });
  expect(new Set(answers.map(({ json }) => json?.["monitor"]))).toEqual(new Set(["backup"]));
  expect(folder.rows("SELECT key FROM monitors")).toEqual([{ key: "backup" }]);
  expect(
    folder.rows("SELECT count(*) AS pings, count(DISTINCT number) AS numbers, max(number) AS last FROM pings"),
  ).toEqual([{ pings: 1_000, numbers: 1_000, last: 1_000 }]);
});

test.each([
  ["/api/v1", 60, 1_000],
  ["", 1_000, 1_200],
])(
  "R33: by default, of a burst at %s/ping %d are taken, and each other is told when to come again",
  async (root, most, sent) => {
    await using folder = openFolder();
    const service = await folder.serve();
    const path = `${root}/ping/backup/${firstKeyOf(service)}?${SCHEDULE}`;
    const begun = performance.now();
    const answers = await sendAtOnce(
      service,
      Array.from({ length: sent }, () => request(`POST ${path}`)),
    );
    const longest = Math.ceil((performance.now() - begun) / 1_000);
    expect(countsOf(answers)).toEqual({ 200: most, 429: sent - most });
    for (const { status, headers, json } of answers) {
      if (status === 200) continue;
      const seconds = Number(headers.get("retry-after"));
      expect(json).toEqual({ error: "RATE_LIMIT_EXCEEDED", message: expect.any(String), retry_after: seconds });
      // The minute began with the first of them.
      expect(seconds).toBeWithin(60 - longest, 61);
    }
    expect(folder.rows("SELECT count(*) AS pings FROM pings")).toEqual([{ pings: most }]);
  },
);

test("R11: of 200 requests with one Idempotency-Key one is applied, and all get its answer byte for byte", async () => {
  await using folder = openFolder({ "rollcall.toml": UNLIMITED });
  const service = await folder.serve();
  const path = `/api/v1/ping/backup/${firstKeyOf(service)}`;
  const operations = ["", "/start", "/complete", "/fail"];
  const requests = Array.from({ length: 200 }, (_, place) => {
    const line = `${place % 2 === 0 ? "GET" : "POST"} ${path}${operations[place % 4]}?${SCHEDULE}`;
    return place % 3 === 0 ? request(line, "Idempotency-Key: once") : request(`${line}&idempotency_key=once`);
  });
  const answers = await sendAtOnce(service, requests);
  expect(countsOf(answers)).toEqual({ 200: 200 });
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(folder.rows("SELECT number FROM pings")).toEqual([{ number: 1 }]);
  const [again] = await sendAtOnce(service, requests.slice(3, 4));
  expect(again?.text).toBe(answers[0]!.text);
});
