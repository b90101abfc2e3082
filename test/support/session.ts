// Signs people in to the executable with a one-time link, as a person would.

import { firstWordsOf, type Service } from "./executable.ts";

export const PASSWORD = "correct horse battery";

/** The cookie of the first administrator, who gets this name. */
export function firstCookieOf(service: Service, name: string): Promise<string> {
  const [, path] = /^ {2}http\S+(\/sign-in\/link\/\w{43})$/m.exec(firstWordsOf(service))!;
  return cookieByLink(service.url + path, name);
}

/** Sets the password by a one-time link, and returns the cookie of the session that this begins. */
export async function cookieByLink(link: string, name: string): Promise<string> {
  const body = new URLSearchParams({ name, password: PASSWORD, again: PASSWORD });
  const headers = { "sec-fetch-site": "same-origin" };
  const answer = await fetch(link, { method: "POST", headers, body, redirect: "manual" });
  const [cookie] = /^rollcall-session=\w{43}/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
  if (cookie === undefined) throw new Error(`the link of ${name} is answered ${answer.status}: ${await answer.text()}`);
  return cookie;
}
