// The pages for people as the executable serves them: switched off, at an address of their own, and with passkeys,
// whose library behaves otherwise once it is compiled.

import { expect, setDefaultTimeout, test } from "bun:test";
import { openFolder } from "../support/executable.ts";

setDefaultTimeout(120_000);

const statusOf = async (url: string): Promise<number> => (await fetch(url, { redirect: "manual" })).status;

test("web.enabled = false: there are no pages, and reports go on", async () => {
  await using folder = openFolder({ "rollcall.toml": "[web]\nenabled = false\n" });
  const { url, logged } = await folder.serve();
  expect(await logged("listening")).toMatchObject({ pages: null });
  expect([await statusOf(`${url}/`), await statusOf(`${url}/sign-in`), await statusOf(`${url}/healthz`)]).toEqual([
    404, 404, 200,
  ]);
});

test("web.listen: the pages have an address of their own, and the other has none", async () => {
  await using folder = openFolder({ "rollcall.toml": '[web]\nlisten = "127.0.0.1:0"\n' });
  const { url, logged } = await folder.serve();
  const { pages } = await logged("listening");
  expect([await statusOf(`${url}/sign-in`), await statusOf(`${url}/api/v1/openapi.json`)]).toEqual([404, 200]);
  expect([await statusOf(`${pages}/sign-in`), await statusOf(`${pages}/api/v1/openapi.json`)]).toEqual([200, 404]);
});

test("passkeys: the executable asks for one where public_url allows it", async () => {
  await using folder = openFolder();
  const { url } = await folder.serve({ ROLLCALL_SERVER__PUBLIC_URL: "http://localhost:8787" });
  const asked = await fetch(`${url}/sign-in/passkey/question`, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin" },
  });
  expect(await asked.json()).toMatchObject({
    rpId: "localhost",
    userVerification: "required",
    challenge: expect.any(String),
  });
});
