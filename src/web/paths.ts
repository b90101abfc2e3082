// The addresses of pages, in one place, so that no page writes another's by hand.

interface JobAddress {
  readonly application: string;
  readonly key: string;
}

export const jobPath = ({ application, key }: JobAddress): string =>
  `/jobs/${encodeURIComponent(application)}/${encodeURIComponent(key)}`;

export const INCIDENTS_PATH = "/incidents";
export const DELIVERIES_PATH = "/deliveries";

export const incidentPath = (id: number): string => `${INCIDENTS_PATH}/${id}`;
