// Where the pages of applications and keys are, and their forms.

export const KEYS_PATH = "/keys";

export const APPLICATIONS_PATH = "/applications";

export const revokePath = (id: number): string => `${KEYS_PATH}/${id}/revoke`;

/** The place of an application on the page of keys. */
export const anchorOf = (slug: string): string => `application-${slug}`;
