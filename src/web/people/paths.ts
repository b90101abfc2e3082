// Where the pages of people are, and the page of who did what.

export const PEOPLE_PATH = "/people";

export const AUDIT_PATH = "/audit";

export const personPath = (id: number): string => `${PEOPLE_PATH}/${id}`;

/** What one person did. */
export const deedsPath = (name: string): string => `${AUDIT_PATH}?${new URLSearchParams({ by: name })}`;
