// People who sign in to the executable as a person does who was sent a one-time link.

import { firstWordsOf, type Service } from "./executable.ts";

export const PASSWORD = "correct horse battery";

/** The cookie of the first administrator, who takes this name. */
export function firstCookieOf(service: Service, name: string): Promise<string> {
  const [, path] = /^ {2}http\S+(\/sign-in\/link\/\w{43})$/m.exec(firstWordsOf(service))!;
  return cookieByLink(service.url + path, name);
}

/** Sets the password by a one-time link, and answers the cookie of the session that begins with it. */
export async function cookieByLink(link: string, name: string): Promise<string> {
  const body = new URLSearchParams({ name, password: PASSWORD, again: PASSWORD });
  const headers = { "sec-fetch-site": "same-origin" };
  const answer = await fetch(link, { method: "POST", headers, body, redirect: "manual" });
  const [cookie] = /^rollcall-session=\w{43}/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
  if (cookie === undefined) throw new Error(`the link of ${name} is answered ${answer.status}: ${await answer.text()}`);
  return cookie;
}
