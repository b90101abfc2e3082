// Lists how the answer of each operation is printed for people. Answers that are not in the list are printed as JSON.

import { ADDRESS_SCREENS, APPLICATION_SCREENS, KEY_SCREENS, STATUS_PAGE_SCREENS } from "./application-screens.ts";
import { DELIVERY_SCREENS } from "./delivery-screens.ts";
import { DESTINATION_SCREENS } from "./destination-screens.ts";
import { INCIDENT_SCREENS } from "./incident-screens.ts";
import { MAINTENANCE_SCREENS } from "./maintenance-screens.ts";
import { MONITOR_SCREENS } from "./monitor-screens.ts";
import { MONITOR_SHOW_SCREENS } from "./monitor-show.ts";
import { PERSON_SCREENS } from "./person-screens.ts";
import type { Screens } from "./presenter.ts";
import { RECEIVED_SCREENS } from "./received-screens.ts";
import { SERVICE_SCREENS } from "./service-screens.ts";

export const PRESENTERS: Screens = {
  ...ADDRESS_SCREENS,
  ...APPLICATION_SCREENS,
  ...DELIVERY_SCREENS,
  ...DESTINATION_SCREENS,
  ...INCIDENT_SCREENS,
  ...KEY_SCREENS,
  ...MAINTENANCE_SCREENS,
  ...MONITOR_SCREENS,
  ...MONITOR_SHOW_SCREENS,
  ...PERSON_SCREENS,
  ...RECEIVED_SCREENS,
  ...SERVICE_SCREENS,
  ...STATUS_PAGE_SCREENS,
};
