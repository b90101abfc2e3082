// Refusals: an expected "no", with a code from the contract's table and R1, returned and never thrown.

export const STATUS = {
  INVALID_SCHEDULE: 400,
  INVALID_REQUEST: 400,
  AUTHENTICATION_REQUIRED: 401,
  PLAN_LIMIT_REACHED: 402,
  ACCESS_DENIED: 403,
  HTTPS_REQUIRED: 403,
  MONITOR_NOT_FOUND: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  STORAGE_UNAVAILABLE: 503,
} as const;

export type RefusalCode = keyof typeof STATUS;

/** `message` is a sentence for the caller: it names the field, the value's problem and the rule (R1). */
export type Refusal = Readonly<{ refusal: RefusalCode; message: string }>;

export const refuse = (refusal: RefusalCode, message: string): Refusal => ({ refusal, message });

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "refusal" in value;

// What an error says, for a log and for people. Must not decide what is done about it.

/** The message of an error; of anything else that was thrown, what it is as text. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
