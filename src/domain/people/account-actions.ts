// What people do with their own account, as the audit names it. Operations have names of their own.

export const ACCOUNT_ACTIONS = [
  "sign in",
  "sign out",
  "use link",
  "change password",
  "end session",
  "end other sessions",
  "add passkey",
  "remove passkey",
] as const;

export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];
