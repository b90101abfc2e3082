// The name of an operation as part of a path: `monitor.pause`; and what stands before it on the public server.

/** The administrator's API. */
export const ADMIN_PATH = "/api/admin/v1/";

/** Where its OpenAPI document is served. */
export const ADMIN_DOCUMENT_PATH = `${ADMIN_PATH}openapi.json`;

export const pathNameOf = (name: string): string => name.replaceAll(" ", ".");

export const nameIn = (pathName: string): string => pathName.replaceAll(".", " ");
