// R47: a mail is counted before it is looked at, and whatever it is made of, its words are found.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { textOfHtml } from "../../src/http/mail/html-text.ts";
import { readHead, readMail } from "../../src/http/mail/read-mail.ts";

const read = (mail: string) => readMail(Buffer.from(mail.replaceAll("\n", "\r\n")));
const multipart = (type: string, ...parts: readonly string[]): string =>
  `Subject: x\nContent-Type: multipart/${type}; boundary="b 1"\n\npreamble\n${parts.map((part) => `--b 1\n${part}\n`).join("")}--b 1--\nepilogue\n`;

describe("R47: the words of a mail", () => {
  test.each([
    ["plain", "Subject: =?utf-8?Q?gr=C3=B6=C3=9Fer?=\n\ndegraded", "größer", "degraded", ""],
    ["folded", "SUBJECT: one\n two\nSubject: other\n\nx", "one two", "x", ""],
    ["of no subject and no text", "", "", "", ""],
    ["without a head", "\n\ndegraded", "", "\ndegraded", ""],
    [
      "in letters of the West",
      "Subject: x\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n=C9chec=\n !",
      "x",
      "Échec !",
      "",
    ],
    ...["ANSI_X3.4-1968", "us-ascii", "iso-8859-1"].map((charset) => [
      `in UTF-8, though its charset is ${charset}`,
      `Subject: x\nContent-Type: text/plain; charset=${charset}\n\n3 Dateien übersprungen, échec`,
      "x",
      "3 Dateien übersprungen, échec",
      "",
    ]),
    [
      "in letters of the East",
      "Content-Type: text/plain; charset=gb18030\nContent-Transfer-Encoding: base64\n\nyqew3A==",
      "",
      "失败",
      "",
    ],
    ["in letters that nobody knows", "Content-Type: text/plain; charset=nonsense\n\nfailed", "", "failed", ""],
    [
      "in both forms",
      multipart("alternative", "\nsee below", "Content-Type: text/html\n\n<p>RAID <b>deg</b>raded</p>"),
      "x",
      "see below",
      "RAID degraded",
    ],
    [
      "in HTML alone",
      "Content-Type: text/html\n\n<style>b{}</style>&Eacute;chec&nbsp;!<script>x()</script><br>2",
      "",
      "Échec !\n2",
      "",
    ],
    ["of several parts", multipart("mixed", "Content-Type: text/plain\n\none", "\ntwo"), "x", "one\ntwo", ""],
    [
      "beside an attachment",
      multipart("mixed", "\none", "Content-Disposition: attachment\n\nfailed", "Content-Type: image/png\n\nfailed"),
      "x",
      "one",
      "",
    ],
    ["of which the end is missing", multipart("mixed", "\none").split("\n--b 1--")[0]!, "x", "one", ""],
    ["whose boundary never comes", "Content-Type: multipart/mixed; boundary=b\n\nfailed", "", "failed", ""],
    ["without a boundary", "Content-Type: multipart/mixed\n\nfailed", "", "failed", ""],
  ])("%s", (_, mail, subject, text, html) => {
    expect(read(mail)).toMatchObject({ subject, text, html });
    expect(readHead(Buffer.from(mail))).toMatchObject({ subject });
  });

  test("are found where more is left out: headers, parts, and parts in parts", () => {
    expect(read(`${"X-Note: y\n".repeat(4_000)}Subject: failed\n\nx`)).toMatchObject({ subject: "failed", text: "x" });
    const many = Array.from({ length: 9_000 }, (__, number) => (number === 3 ? "\nfailed" : "\n"));
    expect(read(multipart("mixed", ...many)).text).toContain("failed");
    const deep = Array.from(
      { length: 1_500 },
      (__, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\n\n--b${depth}\n`,
    );
    expect(read(`Subject: failed\n${deep.join("")}\nx`)).toMatchObject({ subject: "failed" });
  });

  test("R47: any bytes are a mail", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        expect(readMail(bytes).subject).toBeString();
      }),
    );
  });
});

test("R47: HTML without an end is read to its end, and what no browser shows is no word", () => {
  expect(textOfHtml('<a href="'.repeat(3))).toBe('<a href="<a href="<a href="');
  expect(textOfHtml("ok <!-- failed -->fine<style>failed</style><script>failed")).toBe("ok fine");
  expect(textOfHtml("2 < 3 &amp; 4")).toBe("2 < 3 & 4");
});

test("R47: a mail without any head is text from its first line on", () => {
  expect(read("Backup failed\nof web1")).toMatchObject({ subject: "", text: expect.stringContaining("Backup failed") });
  expect(read("Subject: ok\n\nx").subject).toBe("ok");
});

test("R47: it is known where a text goes on beyond what is read, and an attachment cuts none", () => {
  const raw = (mail: string) => Buffer.from(mail.replaceAll("\n", "\r\n"));
  const mixed = 'Content-Type: multipart/mixed; boundary="b"\n\n--b\n\nall is ok\n--b\n';
  const attached = `${mixed}Content-Type: application/pdf\nContent-Disposition: attachment\n\nJVBERi0x`;
  const cut: [mail: string, isBeginning: boolean, isCut: boolean][] = [
    ["Subject: a\n\nall is ok", false, false],
    ["Subject: a\n\nall is ok", true, true],
    [attached, true, false],
    [`${mixed}\nand more`, true, true],
    [`Subject: a\n\n${"ok\n".repeat(6_000)}`, false, true],
    [`Content-Type: text/html\n\n${"<p>ok</p>".repeat(6_000)}`, false, true],
  ];
  for (const [mail, isBeginning, isCut] of cut)
    expect([mail.slice(0, 80), isBeginning, readMail(raw(mail), isBeginning).isCut]).toEqual([
      mail.slice(0, 80),
      isBeginning,
      isCut,
    ]);
});
