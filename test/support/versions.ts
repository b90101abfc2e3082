// The versions of the contract, for tests that ask the same of all: the prefix of each, the words with which it reports
// a failure, and the setting that limits it. Other differences have tests for themselves.

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
