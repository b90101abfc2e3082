// Outcomes of the executable, end to end (R27): a configuration that expects some, completes that meet them, miss them
// and only warn, and what a real webhook receiver and `rollcall monitor show` get to see of it.

import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { type Folder, firstKeyOf, openFolder, report, type Service, until } from "../support/executable.ts";
import { type HttpSink, type ReceivedRequest, startHttpSink } from "../support/http-sink.ts";

const SECRET = `whsec_${Buffer.from("another secret of 32 bytes, okay").toString("base64")}`;

const configuration = ({ url }: HttpSink): string => `
[team]
destinations = ["receiver"]

[destinations.receiver]
type = "webhook"
url = "${url}"
secret = "${SECRET}"

[applications.prod]
max_active_monitors = 2

[applications.prod.monitors.import]
schedule = "0 2 * * *"
outcomes = { rows = { min = 1 }, verified = { equals = true }, errors = { max = 0, on_failure = "warn" } }
`;

interface Event {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const verified = ({ headers, body }: ReceivedRequest): Event => new Webhook(SECRET).verify(body, headers) as Event;

async function complete({ url }: Service, key: string, outcomes: object): Promise<number> {
  const { status } = await fetch(`${url}/api/v1/ping/import/complete`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, "content-type": "application/json" },
    body: JSON.stringify({ outcomes }),
  });
  return status;
}

async function statusOf(folder: Folder, monitor: string): Promise<string> {
  const { out } = await folder.run(["monitor", "show", monitor, "--json"]);
  return JSON.parse(out).status;
}

const eventsOf = (receiver: HttpSink, count: number): Promise<Event[]> =>
  until(`${count} messages`, () => (receiver.requests.length < count ? null : receiver.requests.map(verified)));

test("R27: good, bad, missing and merely odd outcomes come to what the configuration says, and are told with both sides", async () => {
  await using receiver = startHttpSink(() => new Response("ok"));
  await using folder = openFolder({ "rollcall.toml": configuration(receiver) });
  expect(await folder.run(["config", "check"])).toMatchObject({ exitCode: 0 });
  const service = await folder.serve();
  const key = firstKeyOf(service);

  expect(await complete(service, key, { rows: 12, verified: true, errors: 0, note: 1 })).toBe(200);
  expect(await statusOf(folder, "import")).toBe("healthy");
  expect(await complete(service, key, { rows: 12, verified: true, errors: 3 })).toBe(200);
  expect(await statusOf(folder, "import")).toBe("warning");

  expect(await complete(service, key, { rows: 0, verified: true, errors: 3 })).toBe(200);
  const [opening] = await eventsOf(receiver, 1);
  expect(opening).toMatchObject({
    type: "monitor.initial_failure",
    data: {
      applicationId: "prod",
      monitorKey: "import",
      cause: "outcome",
      status: "critical",
      failureMessage: "rows was 0, expected at least 1; errors was 3, expected at most 0",
      outcomes: [
        { key: "rows", observed: 0, expected: { equals: null, min: 1, max: null }, verdict: "failed" },
        { key: "verified", observed: true, expected: { equals: true, min: null, max: null }, verdict: "passed" },
        { key: "errors", observed: 3, expected: { equals: null, min: null, max: 0 }, verdict: "warned" },
      ],
    },
  });
  expect(await statusOf(folder, "import")).toBe("critical");

  expect(await complete(service, key, { rows: 5, verified: true, errors: 0 })).toBe(200);
  const [, recovery] = await eventsOf(receiver, 2);
  expect(recovery).toMatchObject({ type: "monitor.recovered", data: { cause: "outcome", outcomes: null } });

  expect(await report(service, key, "import", "/complete")).toBe(200);
  const [, , missing] = await eventsOf(receiver, 3);
  expect(missing!.data).toMatchObject({
    cause: "outcome",
    failureMessage:
      "rows is missing, expected at least 1; verified is missing, expected true; errors is missing, expected at most 0",
  });
  expect(folder.rows("SELECT outcomes FROM pings ORDER BY id").map(({ outcomes }) => outcomes)).toEqual([
    '{"rows":12,"verified":true,"errors":0}',
    '{"rows":12,"verified":true,"errors":3}',
    '{"rows":0,"verified":true,"errors":3}',
    '{"rows":5,"verified":true,"errors":0}',
    null,
  ]);
}, 120_000);

test("R34: beyond the capacity a report is 402 and a command is refused, until something makes room", async () => {
  await using receiver = startHttpSink(() => new Response("ok"));
  await using folder = openFolder({ "rollcall.toml": configuration(receiver) });
  const service = await folder.serve();
  const key = firstKeyOf(service);
  const daily = "?schedule=0%203%20*%20*%20*";

  expect(await report(service, key, "second", daily)).toBe(200);
  expect(await report(service, key, "third", daily)).toBe(402);
  expect(await report(service, key, "second")).toBe(200);
  const refused = {
    exitCode: 1,
    out: "",
    err:
      'monitor "third" would be one too many: application "prod" may have 2 active monitors ' +
      "(applications.prod.max_active_monitors); pause or delete another, or raise the setting\n",
  };
  expect(await folder.run(["monitor", "create", "third", "--schedule", "0 3 * * *"])).toEqual(refused);
  expect(await folder.run(["monitor", "pause", "second"])).toMatchObject({ exitCode: 0 });
  expect(await report(service, key, "third", daily)).toBe(200);
  const resumed = await folder.run(["monitor", "resume", "second"]);
  expect({ ...resumed, err: resumed.err.replace("second", "third") }).toEqual(refused);
  expect(await folder.run(["monitor", "delete", "third"])).toMatchObject({ exitCode: 0 });
  expect(await folder.run(["monitor", "resume", "second"])).toMatchObject({ exitCode: 0 });
}, 120_000);
