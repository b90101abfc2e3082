// Reads the JUnit report that Bun's test runner writes: every test with its whole name and how it ended. It reads what
// that runner writes and throws at anything else: a report read wrongly would prove what was never tested.

export interface TestResult {
  /** From the repository's root. */
  readonly file: string;
  /** Its describe blocks and its title, joined as the runner prints them: `a > b > title`. */
  readonly name: string;
  readonly outcome: "passed" | "skipped" | "failed";
}

interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

const TAG = /<(\/?)([a-z]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/y;
const ATTRIBUTE = /([\w-]+)="([^"]*)"/g;
const ENTITY = /&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi;
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const KNOWN = ["testsuites", "testsuite", "testcase", "skipped", "failure"];

/** Every test of the report, in its order. Throws when it is not whole, or not what Bun writes. */
export function readReport(xml: string): TestResult[] {
  const results: TestResult[] = [];
  const open: Element[] = [];
  let outcome: TestResult["outcome"] = "passed";
  let promised = "none";

  function begin(element: Element): void {
    open.push(element);
    if (element.name === "testsuites") promised = attributeOf(element, "tests");
    if (element.name === "testcase") outcome = "passed";
    if (element.name === "skipped") outcome = "skipped";
    if (element.name === "failure") outcome = "failed";
  }

  function end(name: string): void {
    const element = open.at(-1);
    if (element?.name !== name) throw new Error(`the report closes ${name}, but ${element?.name ?? "nothing"} is open`);
    // The outermost suite is named after its file; the others are describe blocks.
    if (name === "testcase") {
      const path = open.filter(({ name }) => name !== "testsuites").slice(1);
      const names = path.map((each) => attributeOf(each, "name"));
      results.push({ file: attributeOf(element, "file"), name: names.join(" > "), outcome });
    }
    open.pop();
  }

  let position = xml.startsWith("<?xml") ? xml.indexOf("?>") + 2 : 0;
  while (position < xml.length) {
    const next = xml.indexOf("<", position);
    if (next < 0) break;
    TAG.lastIndex = next;
    const tag = TAG.exec(xml);
    if (tag === null || !KNOWN.includes(tag[2]!))
      throw new Error(`the report holds what is not understood: ${xml.slice(next, next + 80)}`);
    const [text, closes, name = "", attributes = "", isWhole] = tag;
    if (closes === "") begin({ name, attributes: attributesIn(attributes) });
    if (closes !== "" || isWhole !== "") end(name);
    position = next + text.length;
  }
  if (open.length > 0) throw new Error(`the report breaks off within ${open.at(-1)!.name}`);
  if (String(results.length) !== promised)
    throw new Error(`the report promises ${promised} tests and holds ${results.length}`);
  return results;
}

const attributesIn = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name!, unescaped(value!)]));

const unescaped = (text: string): string =>
  text.replace(ENTITY, (entity, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    const character = NAMED[name!];
    if (character === undefined) throw new Error(`the report holds ${entity}, which is no character of XML`);
    return character;
  });

function attributeOf({ name, attributes }: Element, attribute: string): string {
  const value = attributes.get(attribute);
  if (value === undefined) throw new Error(`the report has a ${name} without ${attribute}`);
  return value;
}
