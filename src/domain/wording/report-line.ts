// The lines of a shell that report a job, for people to copy: they hold a job up for five seconds at most.

const CURL = "curl -fsS -m 2 --retry 1 --retry-max-time 3 --retry-connrefused";

/** A line for a terminal that reports a job, and registers it. `address`: without a slash at its end. */
export const firstReportLine = (address: string, key: string): string =>
  `${CURL} '${address}/api/v1/ping/my-first-job/${key}?schedule=*/5+*+*+*+*'`;

/** Reports a success. `url`: the monitor's, without a key and without a slash at its end. */
export const reportLine = (url: string, key: string): string => `${CURL} '${url}/${key}'`;

/** A line of a crontab that reports how COMMAND ended, and ends in the same way. */
export const crontabLine = (schedule: string, url: string, key: string): string =>
  `${schedule} COMMAND; s=$?; ${CURL} -o /dev/null "${url}/${key}/$s"; exit $s`;
