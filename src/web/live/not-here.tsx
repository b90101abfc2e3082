// What becomes of an open page whose subject is gone: it says so on top, and shows the rest as it was.

import { Headline } from "../parts/headline.tsx";
import { shownParts } from "./shown.ts";

export const NOT_HERE = shownParts({
  headline: <Headline saying={{ sentence: "This is no longer here.", tone: "quiet" }} />,
});
