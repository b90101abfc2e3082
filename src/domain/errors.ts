// Refusals: an expected "no", with a code from the contract's table and R1. They are returned and never thrown.

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

/** `message` is a sentence for the caller that names the field, the value's problem and the rule (R1). */
export interface Refusal {
  readonly refusal: RefusalCode;
  readonly message: string;
  /** The name of the field in the request, or the key in its settings; absent when the message names no field. */
  readonly field?: string;
  /** The message without the field's name; absent when the message names no field. */
  readonly problem?: string;
}

/** A refusal that is about no single field. */
export const refuse = (refusal: RefusalCode, message: string): Refusal => ({ refusal, message });

/** A field of a request. `called` is its name in the message, when people also know it by another word. */
export type NamedField = string | Readonly<{ field: string; called: string }>;

/** `problem` is the rest of a sentence that begins with the field's name. */
export function refuseField(named: NamedField, problem: string, refusal: RefusalCode = "INVALID_REQUEST"): Refusal {
  const { field, called } = typeof named === "string" ? { field: named, called: named } : named;
  return { refusal, message: `${called}: ${problem}`, field, problem };
}

/** What is wrong, for a reader who already knows the field. */
export const problemOf = ({ problem, message }: Refusal): string => problem ?? message;

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "refusal" in value;

// Turns an error into text for a log and for people. Decisions must not depend on this text.

/** The message of an error. Anything else that was thrown is converted to text. */
export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
