// Status pages that commands and administrators add (R31), end to end: shared, kept over a restart, overruled by the
// configuration, and taken away.

import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstKeyOf, firstWordsOf, openFolder, report, until } from "../support/executable.ts";
import { accessibilityFaults, browserCommand, isTooWideAnywhere, openPage, PHONE } from "../web/browser.ts";

setDefaultTimeout(120_000);

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

test("R31: a status page is added, lasts over a restart, is the file's once that has one, and is removed", async () => {
  await using folder = openFolder({});
  let service = await folder.serve();
  await report(service, firstKeyOf(service), "nightly-backup", "?schedule=0%202%20*%20*%20*");
  await report(service, firstKeyOf(service), "secret-job", "?schedule=0%202%20*%20*%20*");
  const add = (...words: string[]) => folder.run(["status-page", "add", ...words]);
  for (const [words, err] of [
    [["elsewhere"], /"elsewhere" does not exist/],
    [["default", "--jobs", ","], /jobs: /],
    [["default", "--title", "a\tb"], /title: /],
  ] as [string[], RegExp][])
    expect(await add(...words)).toMatchObject({ exitCode: 1, out: "", err: expect.stringMatching(err) });
  expect((await folder.run(["status-page", "list"])).err).toContain("there are no status pages; this adds one");

  const added = await add("default", "--jobs", "nightly-*", "--title", "Our backups");
  const path = added.out.trim();
  expect([added.exitCode, path]).toEqual([0, expect.stringMatching(/^\/status\/\S{20,}$/)]);
  await until("the page", async () => ((await statusOf(service.url + path)) === 200 ? true : null));
  const page = await (await fetch(service.url + path)).text();
  expect([page.includes("Our backups"), page.includes("Nightly backup"), page.includes("Secret job")]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await statusOf(`${service.url}${path}/badges`)).toBe(200);
  expect((await folder.run(["app", "create", "other"])).exitCode).toBe(0);
  expect(await folder.run(["app", "delete", "default", "--yes"])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("it has a status page; `status-page remove` takes that away first"),
  });

  await service.end("SIGTERM");
  expect(service.err()).not.toContain(path.slice(8));
  service = await folder.serve();
  expect(await statusOf(service.url + path)).toBe(200);
  expect((await folder.run(["status-page", "list"])).out).toMatch(
    /default .*nightly-\* .*rollcall status-page add default/,
  );
  expect((await folder.run(["audit"])).out).not.toContain(path.slice(8));

  const own = `[applications.default.status_page]\ntoken = "${"f".repeat(40)}"\njobs = ["*"]\n`;
  writeFileSync(join(folder.path, "rollcall.toml"), own);
  expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
  expect([await statusOf(service.url + path), await statusOf(`${service.url}/status/${"f".repeat(40)}`)]).toEqual([
    404, 200,
  ]);
  expect(await add("default")).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(
      /application: "default" stands in the configuration \(rollcall\.toml:\d\), and that wins/,
    ),
  });
  writeFileSync(join(folder.path, "rollcall.toml"), "");
  expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
  expect(await statusOf(service.url + path)).toBe(200);
  writeFileSync(join(folder.path, "rollcall.toml"), "nonsense = 3\n");
  expect(await folder.run(["status-page", "remove", "default", "--yes"])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("the configuration on disk is faulty, so it cannot be read again"),
  });
  writeFileSync(join(folder.path, "rollcall.toml"), "");
  expect(await folder.run(["status-page", "remove", "default", "--yes"])).toMatchObject({ exitCode: 0 });
  await until("its end", async () => ((await statusOf(service.url + path)) === 404 ? true : null));
  expect(await folder.run(["status-page", "remove", "default", "--yes"])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('"default" has no status page'),
  });
});

test.if(browserCommand !== null)("R31: a status page is shared and taken away in the browser", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  const [link] = /\/sign-in\/link\/\S+/.exec(firstWordsOf(service))!;
  await using opened = await openPage(service.url + link, PHONE);
  const { page } = opened;
  for (const field of await page.locator("input[type=password]").all()) await field.fill("a long passphrase of Ada's");
  if ((await page.locator("input[name=name]").count()) > 0) await page.locator("input[name=name]").fill("Ada");
  await page.locator("main button[type=submit]").first().click();

  await page.goto(`${service.url}/keys`);
  await page.getByText("Share a status page of default…").click();
  await page.getByRole("radio", { name: "only these" }).check();
  await page.getByText("By a pattern or label").click();
  await page.getByLabel("Patterns and labels").fill(",");
  await page.getByRole("button", { name: "Share it" }).click();
  expect(await page.getByRole("alert").textContent()).toStartWith("Names no job, or none between two commas");
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await isTooWideAnywhere(page)).toBe(false);
  await page.getByRole("radio", { name: "all, also later ones" }).check();
  await page.getByRole("textbox", { name: "Title" }).fill("Home");
  await page.getByRole("button", { name: "Share it" }).click();
  const shared = page.getByRole("link", { name: "The status page" });
  await until("the page's line", async () => {
    if ((await shared.count()) === 0) await page.goto(`${service.url}/keys`);
    return (await shared.count()) > 0 || null;
  });
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await isTooWideAnywhere(page)).toBe(false);
  await shared.click();
  expect(await page.locator("main, body").first().textContent()).toContain("Home");
  await page.goto(`${service.url}/keys`);
  await page.getByRole("button", { name: "Stop sharing default" }).click();
  await until("its end", async () => {
    await page.goto(`${service.url}/keys`);
    return (await page.getByText("Share a status page of default…").count()) > 0 || null;
  });
  expect(opened.complaints.filter((line) => !line.includes("400"))).toEqual([]);
});
