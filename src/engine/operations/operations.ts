// The table of all operations, by name. The Unix socket, the administrator's API and the commands are made from it. A
// new operation is an entry in the file of its group. It needs a file in cli/screens/ only if its answer is not to be
// printed as JSON.

import { ACCOUNT_ACTIONS, type AccountAction } from "../../domain/people/person.ts";
import type { AsWritten, InEngine } from "../../views/schemas/schema-kinds.ts";
import { ADDRESS_OPERATIONS } from "./address-operations.ts";
import { APPLICATION_OPERATIONS, STATUS_PAGE_OPERATIONS } from "./application-operations.ts";
import { DELIVERY_OPERATIONS } from "./delivery-operations.ts";
import { DESTINATION_OPERATIONS } from "./destination-operations.ts";
import { IMPORT_OPERATIONS } from "./import-operations.ts";
import { INCIDENT_OPERATIONS } from "./incident-operations.ts";
import { KEY_OPERATIONS } from "./key-operations.ts";
import { MAINTENANCE_OPERATIONS } from "./maintenance-operations.ts";
import { MEMBER_OPERATIONS } from "./member-operations.ts";
import { MONITOR_OPERATIONS } from "./monitor-operations.ts";
import type { Acting, Operation } from "./operation.ts";
import { PERSON_OPERATIONS } from "./person-operations.ts";
import { SERVICE_OPERATIONS } from "./service-operations.ts";

export const OPERATIONS = {
  ...APPLICATION_OPERATIONS,
  ...STATUS_PAGE_OPERATIONS,
  ...KEY_OPERATIONS,
  ...ADDRESS_OPERATIONS,
  ...MONITOR_OPERATIONS,
  ...MAINTENANCE_OPERATIONS,
  ...IMPORT_OPERATIONS,
  ...INCIDENT_OPERATIONS,
  ...DESTINATION_OPERATIONS,
  ...MEMBER_OPERATIONS,
  ...DELIVERY_OPERATIONS,
  ...PERSON_OPERATIONS,
  ...SERVICE_OPERATIONS,
} satisfies Readonly<Record<string, Operation>>;

/**
 * What the help says about each group of operations, in the order of the help. A group is the first word of a name;
 * some names have only this word.
 */
export const GROUPS = {
  app: "create, suspend, resume, rename and delete applications: groups of monitors with keys",
  "status-page": "share how jobs are with people without an account",
  key: "create, list, label, rotate and revoke API keys",
  address: "let jobs report at the addresses that they have from Healthchecks or Uptime Kuma",
  monitor: "look at monitors; create, change, pause, resume and delete them",
  maintenance: "plan maintenance of monitors or a whole application, list it, end it",
  import: "take over the checks of another service: Healthchecks, Uptime Kuma, Cronitor, or one of this contract",
  advise: "say what could be set better, and how",
  why: "say why a job stands as it does, and who was told",
  replay: "say which alarms other settings would have raised",
  incident: "list incidents, acknowledge and close them",
  destination: "add, change, list and remove the places where alerts go, and say whose go where",
  member: "add, change, list and remove the people who get mail",
  notify: "test destinations, see what was delivered, send again",
  user: "create, list and delete the people who may sign in to the dashboard",
  "admin-key": "create, list and revoke the keys by which programs elsewhere may do what the commands do",
  audit: "see who did what",
  status: "see what needs attention",
  backup: "copy the database while the service runs, and prove the copy",
  backups: "list the backups",
  config: "check the configuration; keep what it leaves open: zone, address, mail server",
  reload: "read the configuration again while the service runs",
} as const;

type Operations = typeof OPERATIONS;
type Group = keyof typeof GROUPS;
export type OperationName = keyof Operations & (Group | `${Group} ${string}`);

export type Input<Name extends OperationName> = InEngine<Operations[Name]["input"]>;
export type Answer<Name extends OperationName> = InEngine<Operations[Name]["answer"]>;
/** The answer as it is sent over the socket, with instants as ISO 8601 texts. */
export type WrittenAnswer<Name extends OperationName> = AsWritten<Operations[Name]["answer"]>;

export const isOperationName = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/**
 * Returns the words for an operation that acts: those of the audit and those of a job's story. `null` when this release
 * has no operation of this name that acts.
 */
export function actedIn(name: string): Pick<Acting, "inAudit" | "inStory"> | null {
  const operation: Operation | null = isOperationName(name) ? OPERATIONS[name] : null;
  return operation?.effect === "acts" ? operation : null;
}

/**
 * Returns what was done, in words that follow the name of who did it: `paused a job`. An action that this release does
 * not know is returned unchanged.
 */
export const actionInWords = (action: string): string =>
  actedIn(action)?.inAudit ?? (isOfAccount(action) ? ACCOUNT_ACTIONS[action] : action);

const isOfAccount = (action: string): action is AccountAction => Object.hasOwn(ACCOUNT_ACTIONS, action);
