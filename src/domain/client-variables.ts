// Where `rollcall run` finds its service.

/** A host may have both, the service and jobs that run under it: these are no keys of the configuration. */
export const CLIENT_VARIABLES = { url: "ROLLCALL_URL", key: "ROLLCALL_KEY", spool: "ROLLCALL_SPOOL" } as const;
