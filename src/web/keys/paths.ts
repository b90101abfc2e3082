// Where the pages of applications and keys are, and their forms.

export const KEYS_PATH = "/keys";

export const APPLICATIONS_PATH = "/applications";

export const keyPath = (id: number): string => `${KEYS_PATH}/${id}`;

export const revokePath = (id: number): string => `${keyPath(id)}/revoke`;

/** Of addresses of other services. */
export const ADDRESSES_PATH = "/addresses";

export const revokeAddressPath = (id: number): string => `${ADDRESSES_PATH}/${id}/revoke`;

export const applicationPath = (slug: string): string => `${APPLICATIONS_PATH}/${encodeURIComponent(slug)}`;

/** The place of an application on the page of keys. */
export const anchorOf = (slug: string): string => `application-${slug}`;
