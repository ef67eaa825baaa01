// A real browser on the page, and what every test holds it to: no error, no violation of the page's policy (CSP), nothing from
// another host.

import { strict as assert } from "node:assert";
import { chromium } from "playwright-core";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
/** Waiting for what must come; a busy machine takes its time. */
const PATIENCE_MS = 20_000;

export async function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/** What pages have asked and not heard yet, and since when. */
const asked = new WeakMap();
/** Whoever has waited so long for an answer may wait for good: a stream, or what a page asked that is left. */
const STREAM_MS = 2_000;

/** A profile of its own, in light or dark, whose pages are watched. */
export async function profile(browser, base, { theme = "light", width = 1440, height = 900 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  const wrong = [];
  await context.addInitScript(() => {
    // What was pressed and closed, and what had the focus then: told where a test fails.
    const keys = (globalThis.pressed = []);
    keys.count = 0;
    const named = (element) => (element ? `${element.tagName.toLowerCase()}${element.id && `#${element.id}`}.${element.className}` : "nothing");
    for (const type of ["keydown", "close", "focusin", "pointerdown"]) {
      addEventListener(type, (event) => {
        if (type === "keydown" && !/^(Control|Shift|Alt|Meta)$/.test(event.key)) keys.count++;
        keys.push(`${Math.round(performance.now())} ms: ${type} ${event.key ?? ""} at ${named(event.target)}`);
      }, true);
    }
    document.addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
  context.on("page", (page) => {
    const open = new Map();
    asked.set(page, open);
    // A browser that is so many times slower, to look for races by hand.
    if (process.env.PAGE_SLOWER) void context.newCDPSession(page).then((session) => session.send("Emulation.setCPUThrottlingRate", { rate: Number(process.env.PAGE_SLOWER) }));
    // A page that asks again and again whether something is new is at rest for all that.
    page.on("request", (request) => !request.url().endsWith("/GetRevision") && open.set(request, Date.now()));
    for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => open.delete(request));
    page.on("console", (message) => message.type() === "error" && !expected(message) && wrong.push(message.text()));
    page.on("pageerror", (error) => wrong.push(error.stack ?? error.message));
    page.on("request", (request) => !request.url().startsWith(base) && wrong.push(`asked another host: ${request.url()}`));
    page.on("dialog", (dialog) => {
      wrong.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  const check = () => assert.deepEqual(wrong.splice(0), [], "the browser found something wrong");
  return { context, check };
}

// The browser itself logs answers of 4xx and broken connections, which the page tells about.
const expected = (message) => /^Failed to load resource/.test(message.text());

/** What a page looks like to somebody who wants to know why it did not do what it should. */
export async function story(page) {
  const told = await page
    .evaluate(() => ({ url: location.href, focus: document.hasFocus(), active: document.activeElement?.outerHTML.slice(0, 200), open: [...document.querySelectorAll("dialog[open]")].map((each) => each.className), said: document.querySelector(".say")?.textContent, pressed: globalThis.pressed.slice(-40) }))
    .catch((error) => String(error));
  return JSON.stringify(told, undefined, 1);
}

/** Until it is so. Tells what it was last, if it never is. */
export async function until(asked, what) {
  const end = Date.now() + PATIENCE_MS;
  let last;
  for (;;) {
    try {
      last = await asked();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) assert.fail(`${what}: still ${last instanceof Error ? last.message : JSON.stringify(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Until it is equal. */
export async function untilEqual(asked, expected, what) {
  const wanted = JSON.stringify(expected);
  let last;
  try {
    await until(async () => JSON.stringify((last = await asked())) === wanted, what);
  } catch {
    assert.deepEqual(last, expected, what);
  }
}

/** The rows of a list that are on the screen. */
export async function rows(page, view) {
  return page.$$eval(`#${view} .window [role=row]`, (all) =>
    all.map((row) => ({
      text: [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.innerText.replace(/\s+/g, " ").trim()).join(" | "),
      look: row.className,
      level: Number(row.getAttribute("aria-level")),
      expanded: row.getAttribute("aria-expanded"),
      selected: row.getAttribute("aria-selected") === "true",
      active: row.classList.contains("active"),
    })),
  );
}

export async function selected(page, view) {
  return (await rows(page, view)).filter((row) => row.selected).map((row) => row.text);
}

/** The selection, which is the URL. */
export function selection(page) {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

/** All that the views show, as text; what changes by itself (ages) is not in it. */
export async function shown(page) {
  return page.$$eval(".panel", (panels) => panels.map((panel) => `${panel.id}: ${panel.innerText.replace(/\s+/g, " ")}`));
}

/** What the selection makes the views show, wherever they are scrolled to. */
export async function seen(page) {
  const texts = async (view) => (await rows(page, view)).map((row) => row.text);
  return {
    tree: await selected(page, "tree"),
    source: await selected(page, "source"),
    events: await selected(page, "events"),
    state: await texts("state"),
    below: [await page.innerText("#below h2"), await page.innerText("#below .about"), await texts("below")],
    times: await page.innerText("#state .about"),
  };
}

/** So long nothing may change for the page to be at rest. */
const REST_MS = 400;

/** Until what is shown, and the URL, stay the same for a while. */
export async function settled(page) {
  let before;
  let since = Date.now();
  await until(async () => {
    const now = JSON.stringify([await shown(page), page.url(), await page.$$eval("[aria-busy=true]", (all) => all.length)]);
    const young = [...(asked.get(page)?.values() ?? [])].some((begun) => Date.now() - begun < STREAM_MS);
    if (now !== before || young) since = Date.now();
    before = now;
    return Date.now() - since > REST_MS;
  }, "the page comes to rest");
}

/** A key that was not at the page by then never will be. */
const LOST_MS = 3_000;

/**
 * Presses a key, and waits until the page has it. A browser that starts, or has no time, loses keys now and then, before any page
 * hears of them: those are pressed again, and told. What the page does with a key that it got is the page's.
 */
export async function press(page, key) {
  for (let turn = 0; turn < 4; turn++) {
    const before = await page.evaluate(() => globalThis.pressed.count);
    await page.keyboard.press(key);
    const heard = page.waitForFunction((before) => globalThis.pressed.count > before, before, { timeout: LOST_MS, polling: 10 });
    if (await heard.then(() => true, () => false)) return;
    console.log(`        the browser lost the key ${key}: ${await story(page)}`);
  }
  assert.fail(`the browser loses the key ${key} again and again`);
}

export async function find(page, text) {
  await press(page, "Control+k");
  await page.waitForSelector("dialog.palette[open] input:focus");
  await page.keyboard.type(text);
  await press(page, "Enter");
  await page.waitForSelector("dialog.palette[open]", { state: "detached" }).catch(() => {});
}
