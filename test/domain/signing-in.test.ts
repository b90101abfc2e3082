// Signing in, as laws: whom a provider's word lets in, and where tries by password are counted.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isRefusal } from "../../src/domain/errors.ts";
import { type Bindable, foldedPersonName, personVouched, type VouchedAccount } from "../../src/domain/people/person.ts";
import { COUNTERS, type Counter } from "../../src/domain/people/sign-in.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { createSignInThrottle, type Try } from "../../src/web/account/sign-in-tries.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 200);

describe("a provider's word", () => {
  const ISSUER = "https://id.example";
  /** Those in one line are one name when case, width and blanks do not count. */
  const NAMES = ["Ada", "ada", "ADA", "Ａｄａ", " Ada", "Bob", "bob", "Ｂｏｂ", "Eve"];
  const person = (id: number, name: string, subject: string | null): Bindable => ({
    id,
    name,
    account: subject === null ? null : { issuer: ISSUER, subject },
  });
  const anyPeople = fc.record({
    people: fc.uniqueArray(
      fc.record({ name: fc.constantFrom(...NAMES), subject: fc.constantFrom(null, "1", "2", "3") }),
      { maxLength: 3, selector: ({ name }) => foldedPersonName(name) },
    ),
    signIns: fc.array(fc.record({ subject: fc.constantFrom("1", "2", "3"), name: fc.constantFrom(null, ...NAMES) }), {
      minLength: 1,
      maxLength: 8,
    }),
  });

  interface SignedIn {
    readonly account: VouchedAccount;
    readonly name: string | null;
    readonly people: readonly Bindable[];
    /** Null: it was refused. */
    readonly as: Bindable | null;
  }

  /** Signs in one after the other, each bound as it is let in, and hands all of them to `check`. */
  const law = (title: string, check: (signedIn: SignedIn) => void) =>
    test(title, () => {
      fc.assert(
        fc.property(anyPeople, ({ people: given, signIns }) => {
          const owners = new Set<string>();
          let people = given.map(({ name, subject }, place) => {
            const isFree = subject !== null && !owners.has(subject);
            if (isFree) owners.add(subject);
            return person(place + 1, name, isFree ? subject : null);
          });
          for (const { subject, name } of signIns) {
            const account = { issuer: ISSUER, subject };
            const bound = people.find((one) => one.account?.subject === subject) ?? null;
            const named =
              people.find((one) => name !== null && foldedPersonName(one.name) === foldedPersonName(name)) ?? null;
            const found = personVouched({ ...account, claim: "name", name }, bound, named);
            const as = isRefusal(found) ? null : found;
            check({ account, name, people, as });
            people = people.map((one) => (one.id === as?.id ? { ...one, account } : one));
          }
        }),
        { numRuns },
      );
    });

  law("never lets in by a name that only looks alike", ({ account, name, as }) => {
    if (as !== null && as.account === null) expect(as.name).toBe(name!);
    if (as !== null && as.account !== null) expect(as.account).toEqual(account);
  });

  law(
    "lets in nobody without a name, nor by the name of a person who has another account",
    ({ account, name, people, as }) => {
      const called = people.find((one) => one.name === name);
      if (name === null || (called?.account && called.account.subject !== account.subject)) expect(as).toBeNull();
      if (as !== null && called !== undefined) expect(as.id).toBe(called.id);
    },
  );

  law("lets in whom the account is bound to, however the provider calls them now", ({ account, name, people, as }) => {
    const owner = people.find((one) => one.account?.subject === account.subject);
    const isElses = people.some((one) => one.name === name && one.id !== owner?.id);
    if (owner !== undefined && name !== null && !isElses) expect(as?.id).toBe(owner.id);
  });

  law("lets in a person of exactly this name who is bound to no account yet", ({ account, name, people, as }) => {
    const called = people.find((one) => one.name === name && one.account === null);
    const isBound = people.some((one) => one.account?.subject === account.subject);
    if (called !== undefined && !isBound) expect(as?.id).toBe(called.id);
  });
});

test("somebody whose name differs only in case is told so, because that name cannot be created", () => {
  const ada = { id: 1, name: "Ada", account: null };
  const said = (named: Bindable | null) =>
    personVouched({ issuer: "https://id.example", subject: "a", claim: "name", name: "ADA" }, null, named);
  expect(said(null)).toMatchObject({ message: expect.stringContaining("`rollcall user create NAME`") });
  expect(said(ada)).toMatchObject({
    message:
      'nobody here is called exactly "ADA"; Ada is another name: if you are Ada, let the provider give exactly that',
  });
});

describe("R33: tries by password", () => {
  interface Played extends Try {
    readonly at: number;
  }

  /** The seconds that each is told to wait; null: it was taken. */
  function play(tries: readonly Played[]): (number | null)[] {
    let now = 0;
    const throttle = createSignInThrottle({ monotonic: () => now }, "a secret");
    return tries.map((tried) => {
      now = tried.at;
      return throttle.take(tried);
    });
  }

  const NETWORKS = ["192.0.2", "198.51.100", "203.0.113"];
  const people = [
    { name: "Ada", personId: 1 },
    { name: "Bob", personId: 2 },
    { name: "nobody", personId: null },
  ];
  const anyTry = fc
    .record({
      network: fc.constantFrom(...NETWORKS),
      host: fc.integer({ min: 1, max: 3 }),
      person: fc.constantFrom(...people),
      isKnownBrowser: fc.boolean(),
      pause: fc.constantFrom(0, SECOND, 5 * SECOND, 20 * SECOND, 2 * MINUTE),
    })
    .map(({ network, host, person, isKnownBrowser, pause }) => ({
      ...person,
      address: `${network}.${host}`,
      browser: isKnownBrowser && person.personId !== null ? `browser of ${person.name}` : null,
      pause,
    }));
  const anyTries = fc.array(anyTry, { minLength: 20, maxLength: 150 }).map((tries) => {
    let at = 0;
    return tries.map(({ pause, ...tried }): Played => {
      at += pause;
      return { ...tried, at };
    });
  });
  const law = (title: string, holds: (tries: readonly Played[]) => void) =>
    test(title, () => fc.assert(fc.property(anyTries, holds), { numRuns }));

  const networkOf = ({ address }: Try): string => address.slice(0, address.lastIndexOf("."));
  const placeOf = (counter: Counter, tried: Try): string =>
    ({
      network: networkOf(tried),
      nameThere: `${tried.name} ${networkOf(tried)}`,
      name: tried.name,
      browser: tried.browser ?? "",
      beginnings: "",
    })[counter];
  const countersOf = ({ browser }: Try): Counter[] =>
    browser === null ? ["network", "nameThere", "name"] : ["browser"];

  law("a try is refused only where one of its own places is full", (tries) => {
    const waits = play(tries);
    for (const [place, tried] of tries.entries()) {
      if (waits[place] === null) continue;
      const taken = tries.slice(0, place).filter((_, before) => waits[before] === null);
      const isFull = countersOf(tried).some((counter) => {
        const there = taken.filter(
          (one) => countersOf(one).includes(counter) && placeOf(counter, one) === placeOf(counter, tried),
        );
        return COUNTERS[counter].some(
          ({ most, span }) => there.filter(({ at }) => at > tried.at - span).length >= most,
        );
      });
      expect(isFull).toBe(true);
    }
  });

  law("no place takes twice its number in its span", (tries) => {
    const waits = play(tries);
    const taken = tries.filter((_, place) => waits[place] === null);
    for (const counter of ["network", "nameThere", "browser"] as const) {
      const there = Map.groupBy(
        taken.filter((one) => countersOf(one).includes(counter)),
        (one) => placeOf(counter, one),
      );
      for (const { most, span } of COUNTERS[counter]) {
        for (const ones of there.values())
          for (const { at } of ones)
            expect(ones.filter((one) => one.at >= at && one.at < at + span).length).toBeLessThan(2 * most);
      }
    }
  });

  law("who waits as long as told is taken, and a second less is too short", (tries) => {
    const waits = play(tries);
    const place = waits.findLastIndex((seconds) => seconds !== null);
    if (place < 0) return;
    const told = waits[place]! * SECOND;
    const after = (wait: number) =>
      play([...tries.slice(0, place + 1), { ...tries[place]!, at: tries[place]!.at + wait }]).at(-1);
    expect(after(told)).toBeNull();
    expect(after(told - SECOND)).not.toBeNull();
  });

  law("what is done without a person's known browser changes nothing in it", (tries) => {
    const isOf = ({ browser }: Try): boolean => browser === "browser of Ada";
    const waits = play(tries);
    expect(waits.filter((_, place) => isOf(tries[place]!))).toEqual(play(tries.filter(isOf)));
  });

  const adaFrom = (address: string, at: number): Played => ({ name: "Ada", personId: 1, browser: null, address, at });
  /** As many tries at Ada's name as it takes in an hour, each from another network. */
  const guessing = Array.from({ length: 300 }, (_, place) => adaFrom(`2001:db8:${place.toString(16)}::1`, place));

  /** One try every `pause`, at the names in turn, all from one network. */
  const oneNetwork = (count: number, pause: number, nameOf: (place: number) => string): Played[] =>
    Array.from({ length: count }, (_, place) => {
      return { name: nameOf(place), personId: null, browser: null, address: "192.0.2.1", at: place * pause };
    });

  test("a network has ten tries a minute, whatever the names; ten in ten minutes at one name", () => {
    expect(play(oneNetwork(11, SECOND, (place) => `name ${place}`)).slice(9)).toEqual([null, 50]);
    expect(play(oneNetwork(11, 7 * SECOND, () => "Ada")).slice(9)).toEqual([null, 530]);
  });

  test("where several places are full, the longest wait is told", () => {
    const waits = play(oneNetwork(61, 6_100, (place) => (place < 50 ? `name ${Math.floor(place / 10)}` : "Ada")));
    expect(waits.slice(59)).toEqual([null, HOUR / SECOND - 366]);
  });

  test("many networks together may guess 300 times an hour at one name, and no more", () => {
    const waits = play([...guessing, adaFrom("2001:db8:ffff::1", 1_000), adaFrom("2001:db8:ffff::1", HOUR)]);
    expect(waits.slice(0, 300).every((seconds) => seconds === null)).toBe(true);
    expect(waits.slice(300)).toEqual([HOUR / SECOND - 1, null]);
  });

  test("no number of wrong tries of one /48 clears what is counted for a name", () => {
    const wrong = Array.from({ length: 30_000 }, (_, place): Played => {
      const address = `2001:db8:aaaa:${(place % 65_536).toString(16)}::1`;
      return { name: `made up ${place}`, personId: null, browser: null, address, at: 1_000 + place };
    });
    const last = adaFrom("2001:db8:ffff::1", 60_000);
    expect(play([...guessing, ...wrong, last]).at(-1)).toBe(HOUR / SECOND - 60);
  });
});
