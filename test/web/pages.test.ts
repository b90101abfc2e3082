// What holds for every page: who may see it, which headers it has, and how it refuses. The real server.

import { afterAll, describe, expect, test } from "bun:test";
import { createRecordingEngine } from "../support/http-engine.ts";
import { startPages } from "../support/pages.ts";

const pages = startPages(createRecordingEngine());
const shut = startPages(createRecordingEngine(), { viewer: null });
afterAll(() => Promise.all([pages.stop(0), shut.stop(0)]));

const get = (path: string, headers: Record<string, string> = {}, server = pages): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers, redirect: "manual" });

const post = (path: string, headers: Record<string, string> = {}, body = ""): Promise<Response> =>
  fetch(`${pages.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body,
    redirect: "manual",
  });

describe("nobody who has not signed in", () => {
  test("sees a page: they are led to the door, and told the way back", async () => {
    const answer = await get("/?find=backup", {}, shut);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/sign-in?to=%2F%3Ffind%3Dbackup");
    expect(await answer.text()).toBe("");
  });

  test("gets a part of a page", async () => {
    const answer = await get("/", { accept: "text/event-stream" }, shut);
    expect(answer.status).toBe(401);
  });
});

describe("every page", () => {
  test("lets no script, style, picture or frame of others in, and stays in no cache", async () => {
    for (const path of ["/", "/no-such-page"]) {
      const { headers } = await get(path);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    }
  });

  test("has no script or style of its own in it", async () => {
    const html = await (await get("/")).text();
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)|\sstyle=|\son\w+=/);
  });
});

describe("a page that cannot be had", () => {
  test("is a page that says so: 404, and 405 where only the method is wrong", async () => {
    const missing = await get("/no-such-page");
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain("There is no such page.");
    const wrong = await get("/theme");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await wrong.text()).toContain("That does not work here.");
  });

  test("is JSON to programs", async () => {
    for (const path of ["/api/v9", "/ping/", "/readyz/x"]) {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toBe("application/json");
    }
  });
});

describe("the look of pages", () => {
  const own = { "sec-fetch-site": "same-origin" };

  test("is what a person chose", async () => {
    const answer = await post("/theme", own, "theme=dark&back=/");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
    expect(await (await get("/", { cookie })).text()).toContain('<html lang="en" data-theme="dark">');
    expect(await (await get("/")).text()).toContain('<html lang="en">');
  });

  test.each(["//evil.example", "/\\evil.example", "https://evil.example", ""])(
    "leads back to no other site: %p",
    async (back) => {
      const answer = await post("/theme", own, new URLSearchParams({ theme: "light", back }).toString());
      expect(answer.headers.get("location")).toBe("/");
    },
  );
});

describe("what browsers load beside a page", () => {
  test("may be kept for ever, in the best coding that they take", async () => {
    const html = await (await get("/")).text();
    const [script = "", style = ""] = [/src="(\/assets\/[^"]+)"/, /href="(\/assets\/rollcall[^"]+)"/].map(
      (pattern) => pattern.exec(html)?.[1],
    );
    const plain = await get(script, { "accept-encoding": "identity" });
    const text = await plain.text();
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-encoding")).toBeNull();
    for (const coding of ["br", "gzip", "zstd"]) {
      const coded = await get(script, { "accept-encoding": coding });
      expect(coded.headers.get("content-encoding")).toBe(coding);
      expect(await coded.text()).toBe(text);
    }
    expect((await get(script, { "accept-encoding": "br;q=0, gzip" })).headers.get("content-encoding")).toBe("gzip");
    expect((await get(style)).headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect((await get("/assets/rollcall-0.js")).status).toBe(404);
  });

  test("is small: script, worker and style take 22 KB together", async () => {
    const html = await (await get("/")).text();
    const paths = new Set([...html.matchAll(/"(\/assets\/[\w-]+\.(?:js|css))"/g)].map(([, path]) => path!));
    expect(paths.size).toBe(3);
    let bytes = 0;
    for (const path of paths)
      bytes += Number((await get(path, { "accept-encoding": "br" })).headers.get("content-length"));
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(22_000);
  });

  test("is there for those who have not signed in", async () => {
    const html = await (await get("/sign-in", {}, shut)).text();
    const links = [...html.matchAll(/<link rel="(?:icon|apple-touch-icon|manifest)"[^>]*href="([^"]+)"/g)];
    const icon = await get("/assets/icon-well.svg", {}, shut);
    const bad = await get("/assets/icon-bad.svg", {}, shut);
    const shapeOf = (svg: string): string | undefined => /<path d="([^"]*)"/.exec(svg)?.[1];
    expect(shapeOf(await icon.text())).not.toBe(shapeOf(await bad.text()));
    for (const path of ["/favicon.ico", ...links.map(([, path]) => path!)]) {
      const answer = await get(path, {}, shut);
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
        path,
        200,
        path.endsWith(".json") ? "application/manifest+json" : "image/png",
      ]);
      if (!path.endsWith(".json")) {
        expect(
          Buffer.from(await answer.arrayBuffer())
            .subarray(1, 4)
            .toString(),
        ).toBe("PNG");
        continue;
      }
      for (const { src } of ((await answer.json()) as { icons: { src: string }[] }).icons)
        expect((await get(src, {}, shut)).status).toBe(200);
    }
    expect(links).toHaveLength(2);
  });
});
