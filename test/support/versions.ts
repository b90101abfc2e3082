// The versions of the contract for tests that ask the same of all: where each lives, and by which words it tells of a
// failure, which setting limits it. Whatever else differs between them has tests of its own.

export const VERSIONS = [
  {
    title: "version 1",
    root: "/api/v1",
    failedStatus: "failure_recorded",
    messageField: "failureMessage",
    perMinute: "limits.v1_per_minute",
  },
  {
    title: "the aliases",
    root: "",
    failedStatus: "failed",
    messageField: "message",
    perMinute: "limits.alias_per_minute",
  },
] as const;
