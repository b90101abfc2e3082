// Review of gaps.
// x
import { expect, test } from "bun:test";
import { DAY, HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const SLOT = NOON + HOUR;
const CLOSES = SLOT + MINUTE + 5 * SECOND;
function runUntil(service: Service, until: number): void {
  for (let at = service.now + SECOND; at <= until; at += SECOND) service.look(at);
}
const gapsIn = (service: Service) =>
  service.store.database.query("select from_at, to_at, reason, decided_at is not null as decided from gaps").all();
async function watched(...keys: string[]): Promise<Service> {
  const service = openService();
  for (const monitorKey of keys.length === 0 ? ["job"] : keys)
    await service.send(ping({ monitorKey, schedule: HOURLY }));
  return service;
}

test("F1 crash loop: two slots in contiguous gaps", async () => {
  using service = await watched();
  service.look(SLOT - 10 * MINUTE);
  // each life shorter than the 10 s between alive writes: kill without saying
  for (let at = SLOT - 10 * MINUTE; at < SLOT + HOUR + 10 * MINUTE; at += 10 * SECOND) {
    service.at(at);
    const alive = service.store.gaps.lastAliveAt()!;
    service.kill();
    // kill() of the harness writes alive; undo
    service.at(at + 10 * SECOND);
    service.start();
    void alive;
  }
  runUntil(service, service.now + 5 * MINUTE);
  console.log(service.alarms(), service.notices().length, gapsIn(service).length);
});

test("F2 ahead and back within seconds, nothing stored meanwhile", async () => {
  using service = await watched();
  runUntil(service, NOON + 10 * MINUTE);
  service.stepClock(30 * DAY);
  service.look(service.now + SECOND);
  service.stepClock(-30 * DAY);
  runUntil(service, NOON + 30 * MINUTE);
  console.log("F2 troubles", service.engine.troubles(), gapsIn(service));
  runUntil(service, CLOSES + 3 * HOUR);
  console.log("F2", service.alarms(), service.notices().length);
}, 60000);

test("F3 rebase with an undecided future gap", async () => {
  using service = await watched();
  await service.send(ping({ monitorKey: "other", schedule: HOURLY }));
  runUntil(service, NOON + 10 * MINUTE);
  service.stepClock(6 * HOUR);
  await service.send(ping());
  runUntil(service, service.now + 20 * SECOND);
  service.stepClock(-6 * HOUR);
  runUntil(service, NOON + 15 * MINUTE);
  await service.send(ping({ monitorKey: "other" }));
  runUntil(service, NOON + 25 * MINUTE);
  console.log("F3 troubles", service.engine.troubles(), gapsIn(service));
  runUntil(service, CLOSES + 3 * HOUR);
  console.log("F3", service.alarms(), service.notices().length);
}, 60000);

test("F4 deleted monitor in the future", async () => {
  using service = await watched("job", "gone");
  service.stepClock(DAY);
  await service.send(ping({ monitorKey: "gone" }));
  service.engine.deleteMonitor({ application: "prod", key: "gone" } as never);
  service.stepClock(-DAY);
  runUntil(service, NOON + 40 * MINUTE);
  console.log("F4 troubles", service.engine.troubles());
}, 60000);

test("F5 clock notice and a failed commit", async () => {
  using service = await watched();
  service.stepClock(DAY);
  await service.send(ping());
  service.stepClock(-DAY);
  service.look(NOON + SECOND);
  service.store.database.run("CREATE TRIGGER refuse BEFORE INSERT ON alerts BEGIN SELECT RAISE(ABORT, 'no'); END");
  service.look(NOON + 11 * MINUTE);
  service.store.database.run("DROP TRIGGER refuse");
  service.look(NOON + 12 * MINUTE);
  service.look(NOON + 30 * MINUTE);
  console.log(
    "F5",
    service.notices().map(({ data }) => data.notice.kind),
  );
});

test("F6 unreadable with untold", async () => {
  using service = await watched("bad", "job");
  service.look(SLOT - SECOND);
  service.kill();
  service.at(SLOT + 30 * SECOND);
  service.start();
  await service.send(ping({ monitorKey: "patient", schedule: HOURLY }));
  for (let at = service.now + SECOND; service.count("unknowns") < 2; at += SECOND) {
    service.at(at);
    service.engine.tick();
    service.endTurn();
    service.endTurn();
  }
  service.store.database.run("update monitors set timezone = 'No/Where' where id = 1");
  runUntil(service, service.now + 10 * MINUTE);
  console.log("F6", service.notices().length, gapsIn(service), service.logged.length);
});

test("F7 suspect becomes unreadable", async () => {
  using service = await watched("job");
  await service.send(ping({ monitorKey: "bad", schedule: HOURLY, graceSeconds: 1800 }));
  service.look(SLOT - SECOND);
  service.kill();
  service.at(SLOT + 30 * SECOND);
  service.start();
  runUntil(service, SLOT + 5 * MINUTE);
  service.store.database.run("update monitors set timezone = 'No/Where' where id = 2");
  for (let m = 0; m < 300; m++) service.look(service.now + MINUTE);
  console.log("F7", service.notices().length, gapsIn(service), service.logged.length);
});

test("F10 paused with open run", async () => {
  using service = await watched("job", "held");
  await service.send(ping({ monitorKey: "held", kind: "start" }));
  service.look(SLOT - SECOND);
  service.kill();
  service.at(SLOT + 30 * SECOND);
  service.start();
  service.engine.pauseMonitor({ application: "prod", key: "held" } as never, null);
  for (let m = 0; m < 3000; m++) service.look(service.now + MINUTE);
  console.log("F10", service.notices().length, gapsIn(service), service.alarms());
}, 60000);
