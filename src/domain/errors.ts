// Refusals: an expected "no" to a request, with an error code of the contract (R1). Refusals are returned, never
// thrown.

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

/** `message` is a sentence for the caller: it names the field, what is wrong with its value, and the rule (R1). */
export interface Refusal {
  readonly refusal: RefusalCode;
  readonly message: string;
  /** The field of the request that is wrong, such as `grace`; absent when the message names no field. */
  readonly field?: string;
  /** The message without the field's name in front; absent when the message names no field. */
  readonly problem?: string;
}

export const refuse = (refusal: RefusalCode, message: string): Refusal => ({ refusal, message });

/** A field of a request. `called` is its name in the message, when people also know it by another word. */
export type NamedField = string | Readonly<{ field: string; called: string }>;

export function refuseField(named: NamedField, problem: string, refusal: RefusalCode = "INVALID_REQUEST"): Refusal {
  const { field, called } = typeof named === "string" ? { field: named, called: named } : named;
  return { refusal, message: `${called}: ${problem}`, field, problem };
}

/** What is wrong, without the field's name, for a place that already shows the field. */
export const problemOf = ({ problem, message }: Refusal): string => problem ?? message;

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "refusal" in value;

// Turns a thrown error into text for the log and for people. No decision may depend on this text.

export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
