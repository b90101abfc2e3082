// Reads and keeps a person's choice of light, dark or high contrast in a cookie; without a choice, the system of the
// person's browser decides.

export const THEMES = ["auto", "light", "dark", "contrast"] as const;

export type Theme = (typeof THEMES)[number];

const COOKIE = "rollcall-theme";

const isTheme = (word: string | undefined): word is Theme => THEMES.some((theme) => theme === word);

export function themeOf({ headers }: Pick<Request, "headers">): Theme {
  const chosen = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\w+)`).exec(headers.get("cookie") ?? "")?.[1];
  return isTheme(chosen) ? chosen : "auto";
}

/** The cookie header that keeps a choice for a year; a word that is no theme counts as `auto`. */
export const keepTheme = (word: string | undefined): string =>
  `${COOKIE}=${isTheme(word) ? word : "auto"}; Path=/; Max-Age=31536000; SameSite=Lax`;
