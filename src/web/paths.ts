// The addresses of pages, in one place, so that no page writes another's by hand.

/** The number of a row in an address; null: it is none. */
export const rowIn = (given: string): number | null => (/^[1-9]\d{0,14}$/.test(given) ? Number(given) : null);

export type JobAddress = Readonly<{ application: string; key: string }>;

export const jobPath = ({ application, key }: JobAddress): string =>
  `/jobs/${encodeURIComponent(application)}/${encodeURIComponent(key)}`;

/** Where a job is made, or brought back. */
export const NEW_JOB_PATH = "/new-job";

/** Where a job's settings are changed. */
export const editPath = (job: JobAddress): string => `${jobPath(job)}/edit`;

/** Why it stands as it does; `at`: as a person wrote it; null: now. */
export const whyPath = (job: JobAddress, at: string | null): string =>
  `${jobPath(job)}/why${at === null ? "" : `?${new URLSearchParams({ at })}`}`;

export const INCIDENTS_PATH = "/incidents";
export const DELIVERIES_PATH = "/deliveries";

/** Where destinations are added and removed. */
export const DESTINATIONS_PATH = `${DELIVERIES_PATH}/destinations` as const;

/** Of the people who get mail. */
export const MEMBERS_PATH = `${DESTINATIONS_PATH}/members` as const;

export const removeMemberPath = (email: string): string => `${MEMBERS_PATH}/of/${encodeURIComponent(email)}/remove`;

export const destinationPath = (name: string): string => `${DESTINATIONS_PATH}/of/${name}`;

export const removeDestinationPath = (name: string): string => `${destinationPath(name)}/remove`;

export const MAINTENANCE_PATH = "/maintenance";

export const maintenanceEndPath = (id: number): string => `${MAINTENANCE_PATH}/${id}/end`;

export const incidentPath = (id: number): string => `${INCIDENTS_PATH}/${id}`;

/** Where a message is answered, by the token in it. */
export const answerPath = (destination: string, token: string): string => `/answer/${destination}/${token}`;

// Where the pages of people are, and the page of who did what.

export const PEOPLE_PATH = "/people";

export const AUDIT_PATH = "/audit";

export const personPath = (id: number): string => `${PEOPLE_PATH}/${id}`;

export const actionsPath = (name: string): string => `${AUDIT_PATH}?${new URLSearchParams({ by: name })}`;

// Where the pages of applications and keys are, and their forms.

export const KEYS_PATH = "/keys";

export const APPLICATIONS_PATH = "/applications";

export const keyPath = (id: number): string => `${KEYS_PATH}/${id}`;

export const revokePath = (id: number): string => `${keyPath(id)}/revoke`;

/** Of addresses of other services. */
export const ADDRESSES_PATH = "/addresses";

export const revokeAddressPath = (id: number): string => `${ADDRESSES_PATH}/${id}/revoke`;

export const applicationPath = (slug: string): string => `${APPLICATIONS_PATH}/${encodeURIComponent(slug)}`;

export const sharePath = (slug: string): string => `${applicationPath(slug)}/share`;

/** The place of an application on the page of keys. */
export const anchorOf = (slug: string): string => `application-${slug}`;

/** Where forms act on the jobs that are selected, and on all open incidents. */
export const MANY_PATH = "/acts/many";
export const ALL_PATH = "/acts/ack-all";
