// The first hour in the browser: an administrator follows the first link, sees that alerts have nowhere to go, adds a
// destination that is tried before it is kept, and removes it. The executable, and a real browser.

import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { firstKeyOf, firstWordsOf, openFolder, report, until } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { accessibilityFaults, browserCommand, isTooWide, isTooWideAnywhere, openPage, PHONE } from "./browser.ts";

setDefaultTimeout(120_000);

const TOPIC = "rollcall-3f9c2a7b51";
const headline = (page: Page): Promise<string | null> => page.locator("h1").textContent();

const browserTest = test.skipIf(browserCommand === null);

browserTest("R31: a destination is added, once its test arrived, and removed again", async () => {
  let takes = false;
  await using ntfy = startHttpSink(() =>
    takes ? Response.json({ id: "x" }) : Response.json({ error: "forbidden" }, { status: 403 }),
  );
  await using folder = openFolder();
  const service = await folder.serve();
  const [link] = /\/sign-in\/link\/\S+/.exec(firstWordsOf(service))!;
  await using opened = await openPage(service.url + link, PHONE);
  const { page } = opened;
  for (const field of await page.locator("input[type=password]").all()) await field.fill("a long passphrase of Ada's");
  if ((await page.locator("input[name=name]").count()) > 0) await page.locator("input[name=name]").fill("Ada");
  await page.locator("main button[type=submit]").first().click();

  await page.goto(`${service.url}/deliveries`);
  expect(await page.getByRole("link", { name: "Add one" }).count()).toBe(1);
  await page.goto(service.url);
  await page.getByRole("link", { name: "Say where alerts go" }).click();
  expect(await headline(page)).toBe("Alerts have nowhere to go yet.");
  await page.getByRole("button", { name: "ntfy" }).click();
  expect(await page.getByLabel("topic").inputValue()).toMatch(/^rollcall-[a-z\d]{5}-[a-z\d]{5}$/);
  expect(await page.getByLabel("Address").inputValue()).toBe("https://ntfy.sh");
  await page.getByLabel("name").fill("phone");
  await page.getByLabel("Address").fill(new URL(ntfy.url).origin);
  await page.getByLabel("topic").fill("no topic");
  await page.getByRole("button", { name: "Send a test, and add it" }).click();
  expect(await page.locator("#topic-wrong").textContent()).toStartWith("Is not a topic, must be");
  expect(await page.getByRole("alert").count()).toBe(1);
  await page.getByLabel("topic").fill(TOPIC);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await isTooWideAnywhere(page)).toBe(false);
  await page.getByRole("button", { name: "Send a test, and add it" }).click();
  expect(await page.getByRole("alert").textContent()).toContain(
    "Nothing was done, because the test did not arrive: HTTP 403",
  );
  expect(await page.getByLabel("topic").inputValue()).toBe(TOPIC);

  takes = true;
  await page.getByRole("button", { name: "Send a test, and add it" }).click();
  await page.getByText("alerts: by default").waitFor();
  expect(await headline(page)).toBe("Where alerts go.");
  expect(await page.getByRole("status").first().textContent()).toStartWith(
    "The test arrived at phone: its server took it",
  );
  await page.goto(`${service.url}/audit`);
  expect((await page.locator("main").textContent())!.match(/added a destination/g)).toHaveLength(1);
  await page.goto(`${service.url}/deliveries/destinations`);
  expect(await page.locator("main").textContent()).not.toContain(TOPIC);
  expect(await accessibilityFaults(page)).toEqual([]);

  await report(service, firstKeyOf(service), "backup", "/fail?schedule=0%202%20*%20*%20*");
  await until("the alert", () => ntfy.requests.find(({ body }) => body.includes("Failed: Backup")) ?? null);

  await page.getByRole("link", { name: "Change… phone" }).click();
  await page.getByLabel("Address").fill("https://elsewhere.example");
  await page.getByRole("button", { name: "Send a test, and change it" }).click();
  expect(await page.locator("#topic-wrong").textContent()).toContain("must be given again, because with another url");
  await page.goto(`${service.url}/deliveries/destinations/of/phone`);
  await page.getByLabel("topic").fill("another-topic");
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await isTooWideAnywhere(page)).toBe(false);
  await page.getByRole("button", { name: "Send a test, and change it" }).click();
  await page.getByText("alerts: by default").waitFor();
  expect(ntfy.requests.at(-1)!.body).toContain("another-topic");
  for (const [step, sent] of [
    [() => page.getByRole("textbox", { name: "Token" }).fill("tk_averysecrettoken"), "Bearer tk_averysecrettoken"],
    [() => page.getByLabel("topic").fill("third"), "Bearer tk_averysecrettoken"],
    [() => page.getByRole("checkbox", { name: "Without token" }).check(), undefined],
  ] as const) {
    await page.getByRole("link", { name: "Change… phone" }).click();
    await step();
    await page.getByRole("button", { name: "Send a test, and change it" }).click();
    await page.getByText("alerts: by default").waitFor();
    expect(ntfy.requests.at(-1)!.headers["authorization"]).toBe(sent!);
  }
  await page.getByRole("link", { name: "Change… phone" }).click();
  await page.getByLabel("new name").fill("No Name");
  await page.getByRole("button", { name: "Rename it" }).click();
  expect(await page.getByRole("alert").textContent()).toContain('"No Name" is not a name');
  await page.getByLabel("new name").fill("mobile");
  await page.getByRole("button", { name: "Rename it" }).click();
  await page.getByText("mobile", { exact: true }).first().waitFor();

  await page.getByText("default: where all others go…").click();
  const told = page.locator("form", { hasText: "Who gets the alerts of default" });
  await told.getByRole("checkbox", { name: "mobile" }).check();
  expect(await accessibilityFaults(page)).toEqual([]);
  await told.getByRole("button", { name: "Tell these" }).click();
  await page.getByText("alerts: by default, default").waitFor();

  await page.getByText("Add a person…").click();
  const person = page.locator("form", { hasText: "Mail address" });
  await person.getByLabel("Name").fill("Ada");
  await person.getByLabel("Mail address").fill("ada@example.org");
  await person.getByLabel("Answers mail as").fill("ada");
  for (const box of await person.getByRole("checkbox").all()) await box.uncheck();
  await person.getByRole("button", { name: "Add them" }).click();
  expect(await person.getByRole("alert").textContent()).toBe("None is chosen, choose at least one.");
  expect(await person.getByLabel("Mail address").inputValue()).toBe("ada@example.org");
  for (const box of await person.getByRole("checkbox").all()) await box.check();
  await person.getByRole("checkbox", { name: "Trouble goes on" }).uncheck();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await isTooWideAnywhere(page)).toBe(false);
  await person.getByRole("button", { name: "Add them" }).click();
  await page.getByText("Ada, ada@example.org…").click();
  const ada = page.locator("details", { hasText: "Ada, ada@example.org" });
  expect(await ada.getByRole("checkbox", { checked: true }).count()).toBe(3);
  expect(await ada.getByLabel("Answers mail as").inputValue()).toBe("ada");
  await ada.getByRole("link", { name: "Remove… ada@example.org" }).click();
  expect(await page.locator("main").textContent()).toContain("They no longer do, and nobody else does.");
  await page.getByRole("button", { name: "Remove ada@example.org" }).click();
  await page.getByText("Ada, ada@example.org…").waitFor({ state: "detached" });

  await page.getByRole("link", { name: "Remove… mobile" }).click();
  expect(await page.locator("main").textContent()).toContain("Alerts (by default, default) no longer go there");
  await page.getByRole("button", { name: "Remove mobile" }).click();
  await page.getByText("Alerts have nowhere to go yet.").waitFor();
  expect(opened.complaints.filter((line) => !line.includes("400"))).toEqual([]);
});

browserTest("R38: the page adds a rota without a test, and says whose week it is", async () => {
  await using ntfy = startHttpSink(() => Response.json({ id: "x" }));
  await using folder = openFolder();
  const service = await folder.serve();
  const url = `url=${new URL(ntfy.url).origin}`;
  await folder.run(["destination", "add", "ada-phone", "ntfy", url, "topic=ada"]);
  const [link] = /\/sign-in\/link\/\S+/.exec(firstWordsOf(service))!;
  await using opened = await openPage(service.url + link, PHONE);
  const { page } = opened;
  for (const field of await page.locator("input[type=password]").all()) await field.fill("a long passphrase of Ada's");
  if ((await page.locator("input[name=name]").count()) > 0) await page.locator("input[name=name]").fill("Ada");
  await page.locator("main button[type=submit]").first().click();
  await page.goto(`${service.url}/deliveries/destinations`);
  await page.getByText("Other types").click();
  await page.getByRole("button", { name: "Rota (a week each)" }).click();
  await page.getByLabel("turns").fill("ada-phone");
  await page.getByLabel("First week begins").fill("next Monday");
  await page.getByRole("button", { name: "Add it" }).click();
  expect(await page.locator("#since-wrong").textContent()).toStartWith('"next Monday" is no time');
  await page.getByLabel("First week begins").fill("2026-03-02T09:00");
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await page.getByRole("button", { name: "Add it" }).click();
  await page.getByText(/alerts: by default; ada-phone until /).waitFor();
  await page.getByText("alerts: none; takes turns in oncall").waitFor();
  expect(ntfy.requests).toHaveLength(1);
  expect(opened.complaints.filter((line) => !line.includes("400"))).toEqual([]);
});
