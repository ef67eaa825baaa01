// What a program made is harmless once it is cleaned, and what is harmless stays as it is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, shellWord, shorten } from "./clean.ts";

test("no character that controls or turns text is left, and nothing else is touched", () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const text = String.fromCharCode(unit);
    const cleaned = clean(text);
    const isUnfit = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u.test(text);
    if (isUnfit) assert.match(cleaned, /^\\([nrt]|u[0-9a-f]{4})$/, `U+${unit.toString(16)}`);
    else assert.equal(cleaned, text);
  }
});

test("shortening leaves no half of a character", () => {
  const faces = "\u{1f600}".repeat(10);
  for (let most = 2; most < 20; most++) {
    const cut = shorten(faces, most);
    assert.ok(cut.length <= most);
    assert.ok(cut.isWellFormed?.() ?? true);
  }
});

test("words that a shell would take for something else are quoted", () => {
  assert.equal(shellWord("demo-1"), "demo-1");
  assert.equal(shellWord("array#1[2]"), "'array#1[2]'");
  assert.equal(shellWord("it's"), "'it'\\''s'");
  assert.equal(shellWord("$(rm -rf x)"), "'$(rm -rf x)'");
});
