// The environment variables by which `rollcall run` finds its service.

/** These are not keys of the configuration, because one host may run both the service and jobs that report to it. */
export const CLIENT_VARIABLES = { url: "ROLLCALL_URL", key: "ROLLCALL_KEY", spool: "ROLLCALL_SPOOL" } as const;
