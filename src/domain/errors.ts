// Refusals: an expected "no" with a code from the contract's error table and R1. A refusal is a value that is
// returned, never thrown; HTTP status codes are not known here.

export type RefusalCode =
  | "INVALID_SCHEDULE"
  | "INVALID_REQUEST"
  | "AUTHENTICATION_REQUIRED"
  | "PLAN_LIMIT_REACHED"
  | "ACCESS_DENIED"
  | "HTTPS_REQUIRED"
  | "MONITOR_NOT_FOUND"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "RATE_LIMIT_EXCEEDED"
  | "INTERNAL_ERROR"
  | "STORAGE_UNAVAILABLE";

/** `message` is a sentence for the caller: it names the field, the value's problem and the rule (R1). */
export interface Refusal {
  readonly refusal: RefusalCode;
  readonly message: string;
}

export const refuse = (refusal: RefusalCode, message: string): Refusal => ({ refusal, message });

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "refusal" in value;
