// How long a session and a one-time link last, and the form of their tokens. Knows neither cookies nor hashes.

import { DAY, type Instant } from "../time.ts";

/** A session that is not used for so long is over. */
export const SESSION_IDLE = 14 * DAY;
/** A session is over after so long, however much it is used. */
export const SESSION_MAX = 90 * DAY;
/** More sessions of one person than devices; the oldest go. */
export const SESSIONS_MAX = 20;
/** How long a one-time link can be opened. */
export const LINK_SPAN = DAY;

export type SessionTimes = Readonly<{ createdAt: Instant; usedAt: Instant }>;

export const sessionEnd = ({ createdAt, usedAt }: SessionTimes): Instant =>
  Math.min(usedAt + SESSION_IDLE, createdAt + SESSION_MAX);

export const isLive = (session: SessionTimes, now: Instant): boolean => now < sessionEnd(session);

/** Letters of a token's secret part: 43 of 62 carry 256 bits. */
const TOKEN_LENGTH = 43;

const TOKEN = /^[0-9A-Za-z]{43}$/;

/** `randomSecret` gives letters of a secure source, 190 bits a call. */
export const newToken = (randomSecret: () => string): string =>
  (randomSecret() + randomSecret()).slice(0, TOKEN_LENGTH);

/** Whether it has the form of a token; nothing else need be looked up. */
export const isToken = (text: string): boolean => TOKEN.test(text);
