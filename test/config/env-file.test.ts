// The environment file is read as systemd reads its EnvironmentFile, and no line of it is ever quoted.

import { expect, test } from "bun:test";
import { parseEnvFile } from "../../src/config/environment.ts";
import { formatFault } from "../../src/config/fault.ts";

const read = (text: string) => parseEnvFile(text, "rollcall.env");
const values = (text: string) => read(text).variables.map(({ name, text: value }) => [name, value]);

const CASES: readonly (readonly [title: string, text: string, expected: readonly (readonly string[])[]])[] = [
  ["comments and empty lines are skipped", "# a\n; b\n\n  # c\nA=1\n", [["A", "1"]]],
  [
    "white space around a bare value is dropped",
    "A=  one two \t\nB=\n",
    [
      ["A", "one two"],
      ["B", ""],
    ],
  ],
  ["a # in a value is part of it", "A=one #two\n", [["A", "one #two"]]],
  ["single quotes take everything as it is", 'A=\'{"a": "\\n # $"} \'\n', [["A", '{"a": "\\n # $"} ']]],
  ["double quotes know four escapes", 'A="\\"\\\\\\$\\`\\n"\n', [["A", '"\\$`\\n']]],
  [
    "quoted values go over lines",
    "A='1\n2'\nB=\"3\n4\"\n",
    [
      ["A", "1\n2"],
      ["B", "3\n4"],
    ],
  ],
  ["parts side by side are joined", "A='1'\"2\"3\n", [["A", "123"]]],
  [
    "a backslash joins lines",
    'A=1\\\n2\nB="3\\\n4"\n',
    [
      ["A", "12"],
      ["B", "34"],
    ],
  ],
  [
    "a backslash keeps the next character of a bare value",
    "A=\\'a\\ \nB=a\\\\  \n",
    [
      ["A", "'a "],
      ["B", "a\\"],
    ],
  ],
  ["a quote inside a bare value is part of it", "A=it's\n", [["A", "it's"]]],
  [
    "carriage returns and a byte order mark are no text",
    "\uFEFFA=1\r\nB='2'\r\n",
    [
      ["A", "1"],
      ["B", "2"],
    ],
  ],
  ["the last line needs no end", "A=1\\", [["A", "1\\"]]],
];

for (const [title, text, expected] of CASES) {
  test(`an environment file: ${title}`, () => {
    expect(read(text).faults).toEqual([]);
    expect(values(text)).toEqual(expected.map((pair) => [...pair]));
  });
}

test("every variable knows its line, also after values over several lines", () => {
  expect(read("A='1\n2'\n\n# x\nB=1\n").variables.map(({ name, origin }) => [name, origin.line])).toEqual([
    ["A", 1],
    ["B", 5],
  ]);
});

test("lines that set nothing are faults that do not repeat them", () => {
  const { variables, faults } = read("hunter2\nexport A=1\n2B=1\nC=1\nD='hunter2\nE=1\n");
  expect(variables.map(({ name }) => name)).toEqual(["C"]);
  expect(faults.map(formatFault)).toEqual([
    "rollcall.env:1: variable: is not NAME=value, must be a name of letters, digits and _, then = and the value",
    "rollcall.env:2: variable: is not NAME=value, must be a name of letters, digits and _, then = and the value",
    "rollcall.env:3: variable: is not NAME=value, must be a name of letters, digits and _, then = and the value",
    "rollcall.env:5: variable: D has a quote that is never closed, must be closed by the same quote",
  ]);
});
