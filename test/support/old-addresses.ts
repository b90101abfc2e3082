// A running service with a monitor that has addresses of other services, and clients whose answers are not checked: the
// OpenAPI document does not describe what other services answer.

import type { Service } from "./service.ts";
import { granted } from "./service.ts";

export const UUID = "0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f";
export const PING_KEY = "fqood6f4mmnucenztu01wx";
export const TOKEN = "Wd4Kq8Zt1xAbCdEfGhIjKlMnOpQrStUv";

/** Binds this address to a monitor, and returns the address's number. */
export function bind(service: Pick<Service, "engine">, address: string, key: string): number {
  service.engine.operate("monitor create", { application: "prod", key, schedule: "0 3 * * *" });
  return granted(service.engine.operate("address add", { address, key })).id;
}

export interface PlainAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export async function asked(url: string, init: BunFetchRequestInit = {}): Promise<PlainAnswer> {
  const response = await fetch(url, { redirect: "manual", keepalive: false, ...init });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** The recorded reports of a monitor, oldest first. */
export const recorded = ({ engine }: Pick<Service, "engine">, key: string) =>
  granted(engine.operate("monitor show", { key }))
    .pings.map(({ kind, message }) => [kind, message])
    .toReversed();
