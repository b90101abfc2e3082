// Light, dark or high contrast: what a person chose, kept in a cookie, or what their system asks for.

export const LOOKS = ["auto", "light", "dark", "contrast"] as const;

export type Look = (typeof LOOKS)[number];

const COOKIE = "rollcall-look";

const isLook = (word: string | undefined): word is Look => LOOKS.some((look) => look === word);

export function lookOf({ headers }: Pick<Request, "headers">): Look {
  const chosen = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\w+)`).exec(headers.get("cookie") ?? "")?.[1];
  return isLook(chosen) ? chosen : "auto";
}

/** The header that keeps a choice for a year; a word that is no look stands for the system's. */
export const keepLook = (word: string | undefined): string =>
  `${COOKIE}=${isLook(word) ? word : "auto"}; Path=/; Max-Age=31536000; SameSite=Lax`;
