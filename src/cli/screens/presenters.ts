// The presenter of each operation that has its own screen; any other answer is shown as JSON.

import type { OperationName } from "../../engine/operations/operations.ts";
import { addressAdd, addressList, addressRevoke } from "./address-screens.ts";
import {
  applicationCreate,
  applicationDelete,
  applicationList,
  applicationRename,
  applicationResume,
  applicationSuspend,
} from "./application-screens.ts";
import { notifyList, notifyResend, notifyTest } from "./delivery-screens.ts";
import { incidentAcknowledge, incidentList, incidentResolve, incidentShow } from "./incident-screens.ts";
import {
  adminKeyCreate,
  adminKeyList,
  adminKeyRevoke,
  keyCreate,
  keyLabel,
  keyList,
  keyRevoke,
  keyRotate,
  keyShow,
} from "./key-screens.ts";
import {
  monitorCreate,
  monitorDelete,
  monitorDeleted,
  monitorList,
  monitorPause,
  monitorRename,
  monitorResume,
  monitorSet,
  monitorUndelete,
} from "./monitor-screens.ts";
import { monitorHistory, monitorShow } from "./monitor-show.ts";
import {
  auditList,
  userChange,
  userCreate,
  userDelete,
  userList,
  userPasswd,
  userSignOut,
  userUnbind,
} from "./person-screens.ts";
import type { Presenter } from "./presenter.ts";
import { refusedList, syncList } from "./received-screens.ts";
import { backupList, backupMake, reload, status } from "./service-screens.ts";

export const PRESENTERS: { readonly [Name in OperationName]?: Presenter<Name> } = {
  "app create": applicationCreate,
  "app list": applicationList,
  "app suspend": applicationSuspend,
  "app resume": applicationResume,
  "app rename": applicationRename,
  "app delete": applicationDelete,
  "key create": keyCreate,
  "key list": keyList,
  "key show": keyShow,
  "key label": keyLabel,
  "key rotate": keyRotate,
  "key revoke": keyRevoke,
  "address add": addressAdd,
  "address list": addressList,
  "address revoke": addressRevoke,
  "monitor list": monitorList,
  "monitor show": monitorShow,
  "monitor history": monitorHistory,
  "monitor create": monitorCreate,
  "monitor pause": monitorPause,
  "monitor resume": monitorResume,
  "monitor delete": monitorDelete,
  "monitor set": monitorSet,
  "monitor rename": monitorRename,
  "monitor deleted": monitorDeleted,
  "monitor undelete": monitorUndelete,
  "incident list": incidentList,
  "incident show": incidentShow,
  "incident ack": incidentAcknowledge,
  "incident resolve": incidentResolve,
  "notify test": notifyTest,
  "notify list": notifyList,
  "notify resend": notifyResend,
  "sync list": syncList,
  "refused list": refusedList,
  "user create": userCreate,
  "user list": userList,
  "user passwd": userPasswd,
  "user change": userChange,
  "user sign-out": userSignOut,
  "user unbind": userUnbind,
  "user delete": userDelete,
  "admin-key create": adminKeyCreate,
  "admin-key list": adminKeyList,
  "admin-key revoke": adminKeyRevoke,
  audit: auditList,
  status,
  backup: backupMake,
  backups: backupList,
  reload,
};
