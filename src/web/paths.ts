// Keeps the addresses of pages in one place, so that no page writes another page's address by hand.

/** The number of a database row in an address; `null` when the text is no such number. */
export const rowIdIn = (given: string): number | null => (/^[1-9]\d{0,14}$/.test(given) ? Number(given) : null);

export type JobAddress = Readonly<{ application: string; key: string }>;

export const jobPath = ({ application, key }: JobAddress): string =>
  `/jobs/${encodeURIComponent(application)}/${encodeURIComponent(key)}`;

/** The page on which a job is made, or brought back. */
export const NEW_JOB_PATH = "/new-job";

export const editPath = (job: JobAddress): string => `${jobPath(job)}/edit`;

/** The page that explains a job's state at an instant. `at` is the time as the person wrote it; `null` means now. */
export const whyPath = (job: JobAddress, at: string | null): string =>
  `${jobPath(job)}/why${at === null ? "" : `?${new URLSearchParams({ at })}`}`;

export const INCIDENTS_PATH = "/incidents";
export const DELIVERIES_PATH = "/deliveries";

export const DESTINATIONS_PATH = `${DELIVERIES_PATH}/destinations` as const;

/** The path of the forms that add and remove members, who get the team's mail. */
export const MEMBERS_PATH = `${DESTINATIONS_PATH}/members` as const;

export const removeMemberPath = (email: string): string => `${MEMBERS_PATH}/of/${encodeURIComponent(email)}/remove`;

export const destinationPath = (name: string): string => `${DESTINATIONS_PATH}/of/${name}`;

export const removeDestinationPath = (name: string): string => `${destinationPath(name)}/remove`;

export const MAINTENANCE_PATH = "/maintenance";

export const maintenanceEndPath = (id: number): string => `${MAINTENANCE_PATH}/${id}/end`;

export const incidentPath = (id: number): string => `${INCIDENTS_PATH}/${id}`;

/** The page on which people reply to a message, by the token in the message. */
export const replyPath = (destination: string, token: string): string => `/answer/${destination}/${token}`;

export const PEOPLE_PATH = "/people";

export const AUDIT_PATH = "/audit";

export const personPath = (id: number): string => `${PEOPLE_PATH}/${id}`;

export const actionsPath = (name: string): string => `${AUDIT_PATH}?${new URLSearchParams({ by: name })}`;

export const KEYS_PATH = "/keys";

export const APPLICATIONS_PATH = "/applications";

export const keyPath = (id: number): string => `${KEYS_PATH}/${id}`;

export const revokePath = (id: number): string => `${keyPath(id)}/revoke`;

/** The path of the forms about old addresses: those of another service, at which jobs still report. */
export const ADDRESSES_PATH = "/addresses";

export const revokeAddressPath = (id: number): string => `${ADDRESSES_PATH}/${id}/revoke`;

export const applicationPath = (slug: string): string => `${APPLICATIONS_PATH}/${encodeURIComponent(slug)}`;

export const sharePath = (slug: string): string => `${applicationPath(slug)}/share`;

/** The anchor of an application on the page of keys. */
export const anchorOf = (slug: string): string => `application-${slug}`;

/** The paths of the forms that act on the selected jobs, and on all open incidents. */
export const ACT_ON_SELECTED_PATH = "/acts/many";
export const ACKNOWLEDGE_ALL_PATH = "/acts/ack-all";
