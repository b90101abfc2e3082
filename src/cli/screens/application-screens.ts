// `rollcall app …`: lists applications, and says what creating, suspending, resuming, renaming and deleting did.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { Screens } from "./presenter.ts";
import { headIn, minute, moment, shown, unbroken } from "./spoken.ts";
import { say } from "./table.ts";

export const APPLICATION_SCREENS: Screens = {
  "app create": ({ answer: { slug }, screen, io }) => {
    io.out(`created application ${slug}`);
    say(io, `next: ${unbroken(screen.typed(`key create ${slug}`))}`);
  },
  /** There is always one. */
  "app list": {
    items: ({ applications }) => applications,
    none: () => "there are no applications",
    rows: ({ applications }, screen) =>
      applications.map(({ slug, name, monitors, createdAt, suspendedAt }) => ({
        APPLICATION: slug,
        NAME: name ?? "-",
        MONITORS: String(monitors),
        [headIn(screen, "CREATED")]: minute(createdAt, screen),
        SUSPENDED: minute(suspendedAt, screen),
      })),
  },
  "app suspend": ({ answer: { changed, application }, screen, io }) => {
    const { slug, suspendedAt, monitors } = application;
    if (!changed) return io.out(shown(`${slug} is suspended already, since ${moment(suspendedAt ?? "", screen)}`));
    io.out(`suspended ${slug}`);
    say(
      io,
      `its reports are refused, and ${monitors === 1 ? "its monitor is" : `its ${monitors} monitors are`} paused: nothing is missed or told`,
    );
    say(io, `this ends it: ${unbroken(screen.typed(`app resume ${slug}`))}`);
  },
  "app resume": ({ answer: { changed, application }, io }) => {
    io.out(changed ? `resumed ${application.slug}` : `${application.slug} is not suspended`);
    if (changed) say(io, "each of its monitors expects its next scheduled report");
  },
  "app rename": ({ answer: { changed, application }, asked: { name = null }, io }) => {
    const { slug, name: inForce } = application;
    const named = inForce === null ? "known by its slug" : `called ${inForce}`;
    io.out(changed ? `application ${slug} is ${named} now` : `application ${slug} is ${named} already`);
    if (inForce !== name) say(io, "the configuration names it, and that wins");
  },
  "app delete": ({ answer: { slug, monitors, keys, historyUntil }, screen, io }) => {
    io.out(`deleted application ${slug}, with ${counted(monitors, "monitor")} and ${counted(keys, "key")}`);
    say(io, `the history of its monitors goes after 7 days, at ${moment(historyUntil, screen)}`);
  },
};
