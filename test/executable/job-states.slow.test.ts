// How each job stands at a broker of MQTT, end to end: the executable, a real mosquitto, and a restart between.

import { expect, setDefaultTimeout, test } from "bun:test";
import { HAS_BROKER, LOGIN, startBroker } from "../support/broker.ts";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";

setDefaultTimeout(120_000);

test.skipIf(!HAS_BROKER)(
  "a job's state follows its reports, comes back after a restart, and goes with the job; alerts come beside it",
  async () => {
    await using broker = await startBroker();
    const alerts = broker.hear("rollcall/alerts");
    await using folder = openFolder({});
    let service = await folder.serve();
    const key = firstKeyOf(service);
    const added = await folder.run([
      ...["destination", "add", "home", "mqtt", `url=mqtt://127.0.0.1:${broker.port}`],
      ...[`username=${LOGIN.username}`, `password=${LOGIN.password}`],
    ]);
    expect(added).toMatchObject({ exitCode: 0, out: "added destination home: its test arrived (the broker has it)\n" });
    await service.logged("reloaded", {});
    const states = async () =>
      [...(await broker.kept("rollcall/+/+/state"))].map(([topic, text]) => ({ topic, ...JSON.parse(text) }));
    const stands = (status: string) =>
      until(`a job that is ${status}`, async () => {
        const [state, ...others] = await states();
        return others.length === 0 && state?.status === status ? state : null;
      });

    await report(service, key, "backup", "?schedule=0%202%20*%20*%20*&name=Backup");
    const healthy = await stands("healthy");
    expect(healthy).toMatchObject({
      topic: "rollcall/default/backup/state",
      application: "default",
      key: "backup",
      name: "Backup",
      incidentId: null,
      since: null,
      lastFailureAt: null,
    });
    const [shown] = JSON.parse((await folder.run(["monitor", "list", "--json"])).out);
    for (const field of ["status", "expectedAt", "lastPingAt", "lastSuccessAt"] as const)
      expect(healthy[field]).toBe(shown[field]);

    await report(service, key, "backup", "/fail?message=disk%20full");
    const failed = await stands("critical");
    expect(failed).toMatchObject({ incidentId: 1, since: failed.lastFailureAt });
    await until("the alert", () => alerts.lines().find((line) => line.includes("disk full")) ?? null);

    await service.end("SIGTERM");
    expect([...(await broker.kept("rollcall/status")).values()]).toEqual(["offline"]);
    expect(await states()).toHaveLength(1);
    service = await folder.serve();
    await report(service, key, "backup");
    await stands("healthy");
    await service.end("SIGKILL");
    await until("the will", async () =>
      (await broker.kept("rollcall/status")).get("rollcall/status") === "offline" ? true : null,
    );

    service = await folder.serve();
    expect(await folder.run(["monitor", "delete", "backup", "--yes"])).toMatchObject({ exitCode: 0 });
    await until("no job", async () => ((await states()).length === 0 ? true : null));
    expect((await broker.kept("homeassistant/#")).size).toBe(0);

    // Another key of the destination leaves them there; without the destination nothing of them stays.
    await report(service, key, "backup", "?schedule=0%202%20*%20*%20*");
    await stands("healthy");
    const { exitCode } = await folder.run(["destination", "set", "home", "severity=critical"]);
    expect(exitCode).toBe(0);
    await stands("healthy");
    expect(await folder.run(["destination", "remove", "home", "--yes"])).toMatchObject({ exitCode: 0 });
    await until("nothing of ours", async () => ((await broker.kept("#")).size === 0 ? true : null));
    const everything = service.out() + service.err() + (await folder.run(["destination", "list"])).out;
    expect(everything).not.toContain(LOGIN.password);
  },
);
