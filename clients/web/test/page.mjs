// The page in a real browser, against a real daemon. integration/tests/page.rs starts the daemon, makes the recordings and runs this:
//   PAGE_URL     what `jhyde web --print` said, with a ticket
//   JHYDE        the command `jhyde`, with JHYDED_DATA as its data folder
//   PAGE_JAVA    a JVM, and PAGE_CLASSES the classes of a program that waits (Gauges)
//   PAGE_SHOTS   a folder, if pictures of the views are to be made for the docs
//   PAGE_SLOWER  how many times slower the browser is to be, to look for races by hand

import { strict as assert } from "node:assert";
import { createRequire } from "node:module";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { find, launch, press, profile, rows, seen, selected, selection, settled, shown, story, until, untilEqual } from "./browser.mjs";

const { PAGE_URL, PAGE_SHOTS, PAGE_JAVA, PAGE_CLASSES, JHYDE, JHYDED_DATA } = process.env;
assert.ok(PAGE_URL && JHYDE && JHYDED_DATA, "PAGE_URL, JHYDE and JHYDED_DATA are not set: integration/tests/page.rs runs this");
/** What `jhyde WORDS` prints. */
const jhyde = (words, input = "") => execFileSync(JHYDE, words, { input, encoding: "utf8", maxBuffer: 1 << 28 });
const json = (words) => jhyde([...words, "--json"]).trim().split("\n").map((line) => JSON.parse(line));
const base = new URL(PAGE_URL).origin;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const browser = await launch();
const started = Date.now();
let key;

const tests = {
  async "a ticket lets a browser in, once"() {
    const { context, check } = await profile(browser, base);
    const page = await context.newPage();
    await page.goto(PAGE_URL);
    await page.waitForSelector("#recordings");
    await untilEqual(async () => (await rows(page, "recordings")).map((row) => row.text.split(" | ")[0]).filter((name) => process.env.PAGE_DEV === undefined || ["calls", "ms", "odd"].includes(name)).sort(), ["calls", "ms", "odd"], "the recordings");
    assert.ok(!page.url().includes("ticket"), page.url());
    key = await page.evaluate(() => localStorage.getItem("jhyde-key"));
    assert.match(key ?? "", /./);
    check();
    const other = await profile(browser, base);
    const second = await other.context.newPage();
    await second.goto(PAGE_URL);
    const told = await until(async () => (await second.$(".locked"))?.innerText(), "the page says that it is locked");
    assert.match(told, /jhyde web/);
    assert.ok(!second.url().includes("ticket"), second.url());
    // The key of another tab lets this one in, where it is.
    await context.close();
    await other.context.close();
  },

  async "a recording that was named is opened, in a browser that has a key and in one that has none"() {
    for (const lets of [letIn, () => undefined]) {
      const { context, check } = await profile(browser, base);
      await lets(context);
      const page = await context.newPage();
      const named = jhyde(["web", "ms", "--print"]).split(/\s+/).find((word) => word.includes("#ticket="));
      await page.goto(named);
      await page.waitForSelector("#tree");
      await untilEqual(() => page.innerText(".recording b"), "ms", "the recording");
      assert.match(page.url(), /recording=/);
      assert.ok(!page.url().includes("ticket"), page.url());
      check();
      await context.close();
    }
  },

  async "the question orders of the reference example, by keyboard alone"() {
    const orders = {
      "top-down": [1, 2, 3, 4, 5, 6, 7],
      "divide-and-query": [2, 3, 4, 5, 6, 7],
      "coverage-halving:edges": [7],
      "coverage-expected:edges": [7],
      "coverage-halving:du-chains": undefined,
      "coverage-expected:du-chains": undefined,
    };
    await visit("?recording=ms", async (page) => {
      for (const [strategy, expected] of Object.entries(orders)) {
        await find(page, `Begin a search: ${strategy}`);
        const asked = [];
        await until(() => selection(page).session, "a session begins");
        const session = selection(page).session;
        for (;;) {
          const now = await until(async () => {
            if (await page.$("#session .found")) return "found";
            const call = await page.$eval("#session .call-head", (head) => head.dataset.call).catch(() => undefined);
            return call !== undefined && call !== asked.at(-1) && call === selection(page).call && call;
          }, `${strategy}: the next question behind ${asked}`);
          if (now === "found") break;
          asked.push(now);
          await press(page, ["1.1", "1.2", "1.7"].includes(now) ? "i" : "v");
        }
        const numbers = asked.map((id) => Number(id.split(".")[1]));
        if (expected) assert.deepEqual(numbers, expected, strategy);
        else assert.ok(numbers.length <= 2, `${strategy}: ${numbers}`);
        assert.match(await page.innerText("#session .found"), /MergeSort\.merge #2/);
        // All views are at the buggy call.
        await untilEqual(() => selection(page).call, "1.7", "the buggy call is selected");
        await until(async () => (await rows(page, "tree")).find((row) => row.selected && /buggy call/.test(row.text)), "the tree shows it as the buggy one");
        // Undo and redo.
        await press(page, "z");
        await until(async () => !(await page.$("#session .found")), "undone");
        await press(page, "Z");
        await until(() => page.$("#session .found"), "redone");
        assert.equal(selection(page).session, session);
        await find(page, "Leave the session");
        await until(() => selection(page).session === undefined, "the session is left");
      }
    });
  },

  async "the paper's walk: the red c[2] of the last merge, its four writes, the last one, the wrong line"() {
    await visit("?recording=ms", async (page) => {
      await find(page, "merge#2");
      await untilEqual(() => selection(page).call, "1.7", "the call is found");
      await until(async () => (await rows(page, "state")).some((row) => /^● written ?\[2\]/.test(row.text)), "c is open, and c[2] red");
      await press(page, "5");
      // The row is active at once, the URL a moment later.
      const active = async () => (await rows(page, "state")).findIndex((row) => row.active);
      for (let steps = 0; steps < 20; steps++) {
        const at = await active();
        if (/^● written ?\[2\]/.test((await rows(page, "state"))[at]?.text ?? "")) break;
        await press(page, "ArrowDown");
        await until(async () => (await active()) !== at, "the next row is active");
      }
      await untilEqual(() => selection(page).variable, "array#1[2]", "it is chosen");
      await untilEqual(async () => (await rows(page, "below")).map((row) => row.text.split(" | ")[0]), ["1", "1", "7", "9"], "its four writes");
      await press(page, "w");
      await untilEqual(() => selection(page).t2, "455", "who wrote it last");
      await untilEqual(async () => (await selected(page, "source")).map((text) => text.split(" | ")[0]), ["53"], "the wrong line");
      assert.match((await selected(page, "source"))[0], /c\[lb\+\+\] = a\[la\+\+\]/);
      await until(async () => {
        const all = await rows(page, "events");
        const at = all.findIndex((row) => row.selected);
        return at >= 0 && /array#1\[2\] = 9/.test(all[at].text) && all[at].level === 3 && / changed/.test(all[at].look);
      }, "the event is marked, inside of its iteration");
      // Another write from the history, by keyboard: all views go to its call.
      await press(page, "6");
      await press(page, "Home");
      await untilEqual(() => selection(page).call, "1.1", "the first write is main's");
      await untilEqual(async () => (await selected(page, "source")).map((text) => text.split(" | ")[0]), ["12"], "its line");
    });
  },

  async "a link shows the same in another tab, and back and forward move all views"() {
    const { context, check } = await profile(browser, base);
    await letIn(context);
    const page = await context.newPage();
    const places = [];
    const remember = async () => {
      await settled(page);
      places.push({ url: page.url(), seen: await seen(page) });
    };
    await page.goto(`${base}/?recording=ms&call=1.7`);
    await remember();
    const jumps = [
      () => page.click("#tree .window [role=row]:has-text('sort')"),
      () => find(page, "@435"),
      () => page.click("#state .own:has-text('[2]')"),
      () => page.click("#below .window [role=row] >> nth=0"),
      () => page.click("#events .window [role=row]:has-text('sort')"),
      () => page.click("#source .row:has-text('sort(a);') .number"),
      () => page.click("#below button:has-text('Why')"),
    ];
    for (const jump of jumps) {
      const before = page.url();
      await jump();
      await until(() => page.url() !== before, `a jump from ${before}`);
      await remember();
    }
    for (const { url, seen: expected } of places.slice(1, 4)) {
      const tab = await context.newPage();
      await tab.goto(url);
      await untilSame(tab, expected, `another tab at ${url}`);
      await tab.close();
    }
    for (const { url, seen: expected } of places.slice(0, -1).reverse()) {
      await page.goBack();
      await untilEqual(() => page.url(), url, "back");
      await untilSame(page, expected, `back at ${url}`);
    }
    await page.goForward();
    await untilEqual(() => page.url(), places[1].url, "forward");
    check();
    await context.close();
  },

  async "the views show what jhyde --json says"() {
    const plain = (value) => (value === undefined ? "–" : typeof value === "object" && value !== null ? undefined : typeof value === "string" ? undefined : String(value));
    await visit(
      "?recording=ms&call=1.7&variable=array%231%5B2%5D",
      async (page) => {
        const calls = json(["tree", "ms", "--all"]);
        await untilEqual(
          async () => (await rows(page, "tree")).map((row) => [row.level, row.text.split(" (")[0]]),
          calls.map((call) => [call.depth + 1, `${call.class.split(".").at(-1)}.${call.method} #${call.invocation}`]),
          "the tree",
        );
        const state = json(["state", "ms", "1.7"])[0];
        await untilEqual(
          async () => (await rows(page, "state")).filter((row) => row.level === 1).map((row) => [/ changed/.test(row.look), / below/.test(row.look)]),
          state.rows.map((row) => [row.changed === true, row.changed_below === true]),
          "what is red and yellow",
        );
        const told = (await rows(page, "state")).filter((row) => row.level === 1).map((row) => row.text.split(" | "));
        for (const [at, row] of state.rows.entries()) {
          assert.ok(told[at][0].includes(row.name ?? row.kind), `${told[at][0]}: ${JSON.stringify(row)}`);
          for (const [cell, value] of [[1, row.start], [2, row.end]]) {
            if (plain(value) !== undefined) assert.equal(told[at][cell], plain(value), row.name);
          }
        }
        const writes = json(["history", "ms", "array#1[2]"]);
        await untilEqual(
          async () => (await rows(page, "below")).map((row) => row.text),
          writes.map((write) => `${write.value} | MergeSort.${write.call.method} #${write.call.invocation} | MergeSort.java:${write.place.line} | @${write.timestamp}`),
          "the history",
        );
        const events = json(["events", "ms", "1.7"]).filter((row) => row.kind !== "use" && row.kind !== "edge");
        await page.click("#events button:has-text('reads')");
        await page.click("#events button:has-text('reads')");
        await untilEqual(
          async () => (await rows(page, "events")).map((row) => `${row.level - 1} ${row.text.split(" | ").slice(1).join(" ")}`),
          events.map((row) => `${row.level ?? 0} :${row.place.line} @${row.timestamp}`),
          "the events",
        );
      },
      { height: 2600 },
    );
  },

  async "answers that are given in a terminal meanwhile appear"() {
    await visit("?recording=ms", async (page) => {
      await find(page, "Begin a search: top-down");
      await until(() => selection(page).session, "a session begins");
      jhyde(["debug", "ms", "--session", selection(page).session, "--json"], '{"answer":"invalid"}\n');
      await until(async () => /1 answer given/.test(await page.innerText("#session")), "the answer appears");
      await until(async () => (await rows(page, "tree")).some((row) => /main/.test(row.text) && /invalid/.test(row.text)), "and in the tree");
    });
  },

  async "twenty tabs at once"() {
    const { context, check } = await profile(browser, base, { width: 1100, height: 600 });
    await letIn(context);
    const tabs = await Promise.all(Array.from({ length: 20 }, () => context.newPage()));
    await Promise.all(tabs.map((tab, at) => tab.goto(`${base}/?recording=ms&call=1.${1 + (at % 7)}`)));
    for (const [at, tab] of tabs.entries()) {
      await until(async () => (await rows(tab, "events")).length > 0 && (await rows(tab, "tree")).some((row) => row.selected), `tab ${at}`);
    }
    check();
    await context.close();
  },

  async "a recording that still runs grows while it is looked at"() {
    // It prints a line, waits for one, prints another, and ends.
    const program = spawn(`${JHYDE}d`, ["launch", "--name", "live", "--level", "full", "--include", "Gauges*", "--", PAGE_JAVA, "-cp", PAGE_CLASSES, "Gauges", "wait"], { stdio: ["pipe", "pipe", "ignore"] });
    try {
      await once(program.stdout, "data");
      await visit("?recording=live&call=1.1", async (page) => {
        const whole = async () => (await rows(page, "events")).length;
        await until(async () => (await whole()) > 3, "what has happened is there");
        await settled(page);
        const before = await whole();
        const runs = json(["show", "live"])[0];
        assert.equal(runs.state, "running");
        program.stdin.write("\n");
        await until(async () => (await whole()) > before, "what happens meanwhile appears");
        await until(() => json(["show", "live"])[0].state === "complete", "it ends");
        const ended = json(["events", "live", "1.1"]).filter((row) => row.kind !== "use" && row.kind !== "edge");
        await until(async () => (await whole()) >= ended.length, "and all of it is there");
      }, { height: 2600 });
    } finally {
      program.kill();
    }
  },

  async "a recording that is deleted while it is open"() {
    const file = `${JHYDED_DATA}/gone.jhyde`;
    jhyde(["export", "ms", file]);
    jhyde(["import", file, "--name", "gone"]);
    await visit("?recording=gone&call=1.7", async (page) => {
      await settled(page);
      assert.ok((await rows(page, "events")).length > 0);
      jhyde(["delete", "gone"]);
      await press(page, "1");
      await press(page, "ArrowUp");
      await until(async () => /there is no recording 'gone'/.test(await page.innerText("#tree")), "the view says so, beside what it knows");
      assert.ok((await rows(page, "tree")).length > 2);
      await page.reload();
      await until(async () => /This recording is not there/.test(await page.innerText("main")), "opened again, the page says so");
      // The others are one step away.
      await page.click("button:has-text('All recordings')");
      await untilEqual(async () => (await rows(page, "recordings")).some((row) => row.text.startsWith("gone")), false, "it is in no list");
    });
  },

  async "a recording of calls alone says what it does not have"() {
    await visit("?recording=calls&call=1.2", async (page) => {
      await until(async () => (await rows(page, "tree")).length > 2, "the tree");
      await settled(page);
      for (const view of ["events", "state"]) {
        const text = await page.innerText(`#${view}`);
        assert.match(text, /level/, `${view}: ${text}`);
      }
    });
  },

  async "the focus goes through the views in their order, and nothing keeps it"() {
    await visit("?recording=ms&call=1.7", async (page) => {
      await settled(page);
      const order = await page.$$eval(".panel", (panels) => panels.map((panel) => panel.id));
      const met = [];
      for (let turn = 0; turn < 150; turn++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => document.activeElement?.closest(".panel")?.id ?? document.activeElement?.tagName);
        if (met.at(-1) !== at) met.push(at);
        if (at === "BODY") break;
      }
      const panels = met.filter((id) => order.includes(id));
      assert.deepEqual(panels, order.filter((id) => panels.includes(id)), `each view once, in the order of the page: ${met.join(" ")}`);
      for (const view of ["tree", "source", "state", "events"]) assert.ok(panels.includes(view), `${view}: ${met.join(" ")}`);
      // Lists are one stop each: their rows are gone through by arrows.
      const stops = await page.$$eval("[role=treegrid], [role=grid]", (grids) => grids.map((grid) => [grid.matches("[tabindex='0']") ? 1 : 0, grid.querySelectorAll("[role=row][tabindex='0']").length]));
      for (const [own, inside] of stops) assert.equal(own + inside, 1, JSON.stringify(stops));
      const named = await page.$$eval("[role=treegrid], [role=grid]", (grids) => grids.map((grid) => grid.getAttribute("aria-label") || document.getElementById(grid.getAttribute("aria-labelledby"))?.textContent));
      assert.ok(named.every(Boolean), JSON.stringify(named));
      const counted = await page.$$eval("[role=treegrid]", (grids) => grids.map((grid) => Number(grid.getAttribute("aria-rowcount"))));
      assert.ok(counted.length > 0 && counted.every((count) => count > 0 || count === -1), JSON.stringify(counted));
    });
  },

  async "values that would run if they could, and those that turn text around"() {
    await visit("?recording=odd", async (page) => {
      await find(page, "Markup.keep#0");
      await until(() => selection(page).call, "the call is found");
      const text = await until(async () => {
        const text = (await shown(page)).join(" ");
        return text.includes("onerror") && text;
      }, "the value is shown");
      assert.ok(text.includes("<img src=x onerror="), "as text");
      assert.ok(text.includes("\\u202e"), "the turning character is told");
      assert.ok(!/[\u202a-\u202e\u2066-\u2069\u0000-\u0008]/.test(text), "and is not there");
      assert.equal(await page.$$eval("img, iframe, object, embed", (all) => all.length), 0);
      assert.equal(await page.evaluate(() => globalThis.ran), undefined);
    });
  },

  async "a call that lies deep is in sight, below one of those around it"() {
    await visit("?recording=odd", async (page) => {
      await find(page, "Markup.deep#2400");
      await until(async () => (await rows(page, "tree")).find((row) => row.selected && /deep #2400/.test(row.text)), "the tree shows it");
      assert.match(selection(page).root ?? "", /^1\.\d+$/);
      // Where another call is chosen nobody has asked for that root.
      await find(page, "Markup.keep#0");
      await until(async () => (await rows(page, "tree")).find((row) => row.selected && /keep #0/.test(row.text)), "the tree shows the other one");
      await untilEqual(() => selection(page).root, undefined, "all of the tree");
    });
  },

  async "pointing at a wrong value by a click"() {
    await visit("?recording=ms&call=1.2", async (page) => {
      await find(page, "Begin a search: divide-and-query");
      await page.click("#session button.point[data-variable='array#1[2]']");
      assert.equal(await page.getAttribute("#session button.point[data-variable='array#1[2]']", "aria-pressed"), "true");
      await press(page, "i");
      await until(async () => /wrong: array#1\[2\]/.test(await page.$eval("#session", (session) => session.textContent)), "the answer says what is wrong");
      await until(async () => (await rows(page, "tree")).some((row) => /sort #0/.test(row.text) && /invalid/.test(row.text)), "the tree shows it");
    });
  },

  async "a key right behind a dialog that closes is not lost"() {
    await visit("?recording=ms&call=1.7", async (page) => {
      await settled(page);
      await press(page, "Control+k");
      await page.waitForFunction(() => document.activeElement?.closest("dialog.palette[open]"));
      // Before the page is drawn again, what has the focus is still in the dialog.
      const inside = await page.evaluate(() => {
        document.querySelector("dialog.palette").close();
        const target = document.activeElement;
        target.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true, cancelable: true }));
        return target.closest("dialog.palette") !== null;
      });
      assert.ok(inside, "the focus was in the palette");
      await page.waitForSelector("dialog.keys[open]");
    });
  },

  async "a dialog that is opened again before the browser has said that it was closed"() {
    await visit("?recording=ms&call=1.7", async (page) => {
      // Both in one task, so that no picture is drawn between them: by the browser's own way to close one, and by choosing.
      const ways = {
        closed: () => document.querySelector("dialog.palette").close(),
        chosen: () => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })),
      };
      for (const [name, way] of Object.entries(ways)) {
        await press(page, "Control+k");
        await page.waitForSelector("dialog.palette[open] input:focus");
        await page.keyboard.type("State of the whole");
        await until(async () => (await page.$$("#found [role=option]")).length === 1, "one command is found");
        // Enter waits for what is asked: then the dialog is not closed in this task.
        await page.waitForSelector("#found[aria-busy=false]", { state: "attached" });
        const between = await page.evaluate(`(() => {
          const dialog = document.querySelector("dialog.palette");
          globalThis.told = new Promise((told) => dialog.addEventListener("close", () => setTimeout(told), { once: true }));
          (${way})();
          const open = dialog.open;
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true, cancelable: true }));
          return open;
        })()`);
        assert.equal(between, false, `${name}: the dialog was closed`);
        await page.evaluate(() => globalThis.told);
        assert.ok(await page.$("dialog.palette[open] input:focus"), `${name}: it is open again`);
        assert.equal(await page.inputValue("dialog.palette input"), "", name);
        await press(page, "Escape");
        await page.waitForSelector("dialog.palette[open]", { state: "hidden" });
      }
    });
  },

  async "axe finds nothing, in any view, in both themes"() {
    for (const theme of ["light", "dark"]) {
      await visit(
        "",
        async (page) => {
          const places = {
            recordings: "",
            call: "?recording=ms&call=1.7",
            event: "?recording=ms&call=1.7&t2=455&variable=array%231%5B2%5D",
            why: "?recording=ms&call=1.7&t2=455&variable=array%231%5B2%5D&tab=why",
            graph: "?recording=ms&call=1.7&tab=graph",
            odd: "?recording=odd&call=1.1",
            missing: "?recording=nothing",
          };
          for (const [name, query] of Object.entries(places)) {
            await page.goto(`${base}/${query}`);
            await settled(page);
            await clean(page, `${name}, ${theme}`);
            await shoot(page, name, theme);
            const nodes = await page.$$eval("*", (all) => all.length);
            assert.ok(nodes < 3000, `${name}: ${nodes} nodes`);
          }
          await page.goto(`${base}/?recording=ms&call=1.2`);
          await find(page, "Begin a search: divide-and-query");
          await page.waitForSelector("#session button.point");
          await press(page, "v");
          await settled(page);
          await clean(page, `session, ${theme}`);
          await press(page, "z");
          await settled(page);
          await shoot(page, "session", theme);
          await press(page, "Control+k");
          await page.keyboard.type("merge");
          await until(async () => (await page.$$("#found [role=option]")).length > 1, "something is found");
          await clean(page, `palette, ${theme}`);
          await shoot(page, "find", theme);
          await press(page, "Escape");
          await page.waitForSelector("dialog.palette[open]", { state: "hidden" });
          await press(page, "?");
          await page.waitForSelector("dialog.keys[open]");
          await clean(page, `keys, ${theme}`);
          // At 200 % zoom one view is in front, and the others are a button away.
          await press(page, "Escape");
          await page.waitForSelector("dialog.keys[open]", { state: "hidden" });
          await page.setViewportSize({ width: 720, height: 450 });
          await settled(page);
          await clean(page, `narrow, ${theme}`);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is beside the screen");
        },
        { theme, width: 1280, height: 800 },
      );
    }
  },
};

// Last, for it ends the daemon.
const goingOn = {
  async "a daemon that ends and comes again"() {
    const { context } = await profile(browser, base);
    await letIn(context);
    const page = await context.newPage();
    await page.goto(`${base}/?recording=ms&call=1.7&t2=455`);
    await settled(page);
    const before = await rows(page, "tree");
    const daemon = Number(readFileSync(`${JHYDED_DATA}/lock`, "utf8").trim().split(/\s+/)[0]);
    process.kill(daemon);
    await press(page, "1");
    await press(page, "ArrowUp");
    await until(async () => /does not answer/.test(await page.innerText("main")), "the page says that nobody answers");
    const url = jhyde(["web", "--print"]).split(/\s+/).find((word) => word.includes("#ticket="));
    assert.equal(new URL(url).origin, base, "the port is kept, so that links live");
    await until(async () => /jhyde web/.test(await page.innerText("main")), "the old key is worth nothing");
    // Another tab is let in, and with it this one, where it was.
    const other = await context.newPage();
    await other.goto(url);
    await other.waitForSelector("#recordings");
    const fresh = await other.evaluate(() => localStorage.getItem("jhyde-key"));
    assert.notEqual(fresh, key);
    await untilEqual(async () => (await rows(page, "tree")).map((row) => row.text), before.map((row) => row.text), "the page goes on");
    await context.close();
  },
};

/** A page that is let in, on which nothing may go wrong. */
async function visit(query, act, options) {
  const { context, check } = await profile(browser, base, options);
  await letIn(context);
  const page = await context.newPage();
  await page.goto(`${base}/${query}`);
  try {
    await act(page);
    check();
  } catch (error) {
    error.stack += `\n    the page: ${await story(page)}\n${JSON.stringify(await shown(page).catch(String)).slice(0, 4000)}`;
    throw error;
  } finally {
    await context.close();
  }
}

/** Every document of the profile has the key; those without a host have no storage. */
function letIn(context) {
  return context.addInitScript((key) => location.protocol === "http:" && localStorage.getItem("jhyde-key") === null && localStorage.setItem("jhyde-key", key), key);
}

async function untilSame(page, expected, what) {
  await untilEqual(() => seen(page), expected, what);
}

async function clean(page, what) {
  // The page's policy forbids scripts from elsewhere: the browser itself runs this one.
  await page.evaluate(axe);
  // A theme is colours and nothing else: with the second one, only those are looked at again.
  const rules = what.endsWith("dark") ? { type: "rule", values: ["color-contrast"] } : { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
  const found = await page.evaluate((runOnly) => globalThis.axe.run(document, { runOnly }), rules);
  const told = found.violations.map((each) => `${each.id}: ${each.nodes.slice(0, 4).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join("\n  ")}`);
  assert.deepEqual(told, [], `axe: ${what}`);
}

async function shoot(page, name, theme) {
  if (PAGE_SHOTS) await page.screenshot({ path: `${PAGE_SHOTS}/${name}-${theme}.png` });
}

let failed = 0;
const only = process.argv[2];
for (const [name, run] of Object.entries({ ...tests, ...goingOn })) {
  if (only && !name.includes(only) && !name.startsWith("a ticket")) continue;
  const from = Date.now();
  try {
    await run();
    console.log(`ok      ${name} (${((Date.now() - from) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n${error.stack ?? error}`);
  }
}
console.log(`${failed === 0 ? "all" : `${failed} failed,`} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
await browser.close();
process.exit(failed === 0 ? 0 : 1);
