// The operations on addresses of other services, at which jobs go on reporting after a move (R45).

import { ADDED_ADDRESS, ADDRESSES, LISTED_ADDRESS } from "../../views/answers/addresses.ts";
import { aboutApplication, aboutMonitor, aboutOwner } from "../../views/find-named.ts";
import { aboutAddress, pagesOfAddresses } from "../../views/keys.ts";
import { listedApplication, listedMonitor, optionalText, rowNumber, secretText } from "./fields.ts";
import { addAddress, revokeAddress } from "./operate-addresses.ts";
import { acts, looks } from "./operation.ts";

const add = acts({
  summary: "let jobs report at an address of Healthchecks or Uptime Kuma that they have already",
  notes: `Once the old host name leads here, they report without a change. A URL or the
end of one is taken. Whoever knows an address can report the monitor and do
nothing else; only its hash is kept. With - in place of it, no list of processes
shows it. A ping key without a slug creates monitors, for reports with
?create=1.`,
  examples: [
    "0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f backup",
    "https://kuma.example.org/api/push/Wd4Kq8Zt1x backup",
    "/ping/fqood6f4mmnucenztu01wx --prefix hosts-",
  ],
  input: {
    address: secretText({ description: "the address, as jobs have it", argument: "address" }),
    key: optionalText({ description: "the key of the monitor that it reports", argument: "key" }),
    application: optionalText({
      description: "its application (default: the only one that has such a monitor)",
      option: "app",
      value: "slug",
    }),
    prefix: optionalText({
      description: "with what the keys of the monitors begin that a ping key creates (default: nothing)",
      option: "prefix",
      value: "text",
    }),
  },
  answer: ADDED_ADDRESS,
  role: "admin",
  about: (context, { key, application }) =>
    key === null ? aboutOwner(context, application) : aboutMonitor(context, { key, application }),
  inAudit: "added an old address",
  inStory: "Let it be reported at an address that it has from another service",
  run: addAddress,
});

const list = looks({
  summary: "list such addresses: number, monitor, last use; never the addresses themselves",
  examples: ["", "--monitor nightly-backup", "--app prod --json"],
  input: { application: listedApplication(), monitor: listedMonitor() },
  answer: ADDRESSES,
  role: "admin",
  about: (context, { application }) => aboutApplication(context, application),
  run: pagesOfAddresses,
});

const revoke = acts({
  summary: "revoke such an address; jobs that still report there are refused",
  notes: `\`address list\` says when it was last used, and from where. Who uses it later
stands in the log, as revoked_key_used with its number and the address of the
computer. \`address add\` lets it work again.`,
  examples: ["3", "3 --yes"],
  input: { id: rowNumber({ description: "the address's number, as `address list` shows it", argument: "id" }) },
  answer: LISTED_ADDRESS,
  role: "admin",
  confirm: true,
  about: aboutAddress,
  inAudit: "revoked an old address",
  inStory: "Revoked such an address",
  run: revokeAddress,
});

export const ADDRESS_OPERATIONS = {
  "address add": add,
  "address list": list,
  "address revoke": revoke,
};
