// Looks at VS Code as a person does: smoke.cjs HOST FOLDER PICTURES. Opens a file of the folder, then the tree of the
// ledger, then the panel, waits for what each is to show, and takes a picture of each into a directory.
'use strict';
const path = require('node:path');
const { inside, look, lookOnceMeasured, main, read, rows, run, see, showViews, status } = require('./browser.cjs');

/** The steps, with the pictures after which they are named. */
const steps = {
  async editor(page) {
    await see(page, 'the status bar', status, /^\s*ctx \d+%\s*$/);
    await see(page, 'a code lens', '.codelens-decoration', /^read \d+ times, ≈[\d,]+( tokens)? in window · unchanged since$/);
  },
  async tree(page) {
    await showViews(page);
    for (const root of ['Sessions', 'Artifacts', 'Memory', 'Changes']) await see(page, root, rows, new RegExp(`^${root}`));
    await see(page, 'the live session with its cost', rows, /≈?\$\d.* · Please get to know/s);
    await see(page, 'what every request carries', rows, /^Claude Code/);
    await see(page, 'a memory file', rows, /^CLAUDE\.md/);
  },
  async session(page) {
    await page.locator(rows, { hasText: / · Please get to/ }).first().click();
    const preview = inside(page);
    await preview.locator('details[open] > summary', { hasText: /^Turn \d+ · / }).last().waitFor();
    await preview.locator('details:not([open]) > summary').first().click();
    await preview.locator('details[open] > summary', { hasText: /^Turn 1 · / }).waitFor();
    await see(page, 'a tab named by the title', '.tab', /Please get to know this shop…/);
  },
  async change(page) {
    await page.locator(rows, { hasText: /^Changes/ }).last().click();
    await page.locator(rows, { hasText: /^main\.go.*changes/ }).first().click();
    await page.locator(rows, { hasText: /^modified in turn/ }).first().click();
    await page.locator('.monaco-diff-editor .line-insert, .monaco-diff-editor .line-delete').first().waitFor();
    console.log('seen: a diff');
  },
  async panel(page) {
    await page.locator(`${status} a`).click();
    await inside(page).locator('svg.bar').first().waitFor(); // of one or two
    console.log('seen: the panel');
  },
  async sources(page) {
    const panel = inside(page);
    await panel.locator('#sources h2').scrollIntoViewIfNeeded();
    for (const button of ['Forget…', 'Compact Session']) await panel.locator('button', { hasText: button }).first().waitFor();
    await panel.locator('#sent .actions').scrollIntoViewIfNeeded();
    console.log('seen: the largest files, and the window after a compaction');
  },
  async page(page) {
    await page.locator('.activitybar .action-item a[aria-label^="Extensions"]').click();
    await (await see(page, 'the extension', '.extension-list-item', /See what context costs/)).click();
    await inside(page).locator('h1', { hasText: 'ctxledger for VS Code' }).waitFor();
    if (await inside(page).locator('#active-frame img, body img').count() > 0) throw new Error('a picture of the page is served from nowhere');
    console.log('seen: the page of the extension');
  },
};

/** Waits until a step of the walkthrough is ticked, or fails if it is and should not be. */
async function ticked(page, title, wanted) {
  const mark = page.locator('.getting-started-step', { hasText: title }).locator('[data-done-step-id].complete');
  if (wanted) await mark.first().waitFor();
  else if (await mark.count() > 0) throw new Error(`${title} is ticked before its result was seen`);
}

/** Waits for a hint that is in sight: not hidden behind the edge of its editor, which is beside the walkthrough. */
async function hinted(page) {
  const hint = await see(page, 'a hint', '.editor-instance .view-line [class*="dyn-rule"]', /≈[\d,]+\stokens$/);
  const [at, editor] = [await hint.boundingBox(), await page.locator('.editor-instance .lines-content').last().boundingBox()];
  if (at.x + at.width > editor.x + editor.width) throw new Error('the hint is out of sight');
  await page.locator('.getting-started-step').first().waitFor(); // the walkthrough is, too
}

/** Opens the walkthrough: on a busy machine VS Code may show its own welcome page first, which has no steps of ours. */
async function getStarted(page) {
  const step = page.locator('.getting-started-step').first();
  for (let tries = 0; tries < 4; tries++) {
    await run(page, 'Get Started');
    if (await step.waitFor({ timeout: 30_000 }).then(() => true, () => false)) return;
  }
  await step.waitFor();
}

/** Asks for a page of figures in a step of the walkthrough, takes a picture of it, and waits until the step is ticked. */
async function follow(page, pictures, [title, button, said]) {
  await ticked(page, title, false);
  const step = page.locator('.getting-started-step', { hasText: title });
  await step.first().click();
  await step.locator('.monaco-button', { hasText: button }).first().click();
  if (said !== undefined) await read(page, title, said);
  else await hinted(page);
  await page.mouse.move(0, 0); // over nothing
  await page.waitForTimeout(500); // the page has its style
  await page.screenshot({ path: path.join(pictures, `walkthrough-${button.split(' ').at(-1).toLowerCase()}.png`) });
  if (said === undefined) await getStarted(page);
  await ticked(page, title, true);
}

/** Has the walkthrough read the sessions of before, and closes it: what is measured of them changes estimates. */
async function readPast(page, pictures) {
  await page.keyboard.press('Control+b'); // without the side bar there is room for the pictures of steps
  await getStarted(page);
  await ticked(page, 'What fills the context window?', false); // from here on VS Code ticks it wherever the panel is opened
  await follow(page, pictures, ['Read your past sessions', 'Read Past Sessions', /3 past sessions read.*Receipts have to be printed.*Claude Code · claude-sonnet-4-5.*≈?\$\d+\.\d+, at list prices.*Your current session, Please get to know.*≈?\$\d/s]);
  for (const tab of [/^What Your Last Finished Session Cost/, /^Welcome/]) await page.getByRole('tab', { name: tab }).first().click({ button: 'middle' });
  await page.keyboard.press('Control+b');
}

/** Returns the button of a block in the preview of a prompt. */
async function linked(page, block) {
  for (const frame of page.frames()) {
    const found = frame.locator('button[data-message]', { hasText: block });
    if (await found.count() > 0) return found.first();
  }
  throw new Error(`the preview has no link to ${block}`);
}

/** The walkthrough, whose figures are pages beside it: there is no message. */
const last = {
  async walkthrough(page, pictures) {
    await page.keyboard.press('Control+b'); // without the side bar there is room for the pictures of steps
    await getStarted(page);
    await page.locator('.getting-started-step', { hasText: 'What fills the context window?' }).first().click();
    await page.waitForFunction(() => document.querySelector('.getting-started-media img')?.naturalWidth > 0); // it is there
    console.log('seen: the tour');
    await page.screenshot({ path: path.join(pictures, 'tour.png') });
    await page.locator('.getting-started-step .monaco-button', { hasText: 'Open the Panel' }).first().click();
    await inside(page).locator('svg.bar').first().waitFor();
    await getStarted(page);
    await ticked(page, 'What fills the context window?', true);
    for (const step of [
      ['What does CLAUDE.md cost?', 'Show What CLAUDE.md Costs', /Claude Code sends CLAUDE\.md with every request.*tokens\s+cost this session\s.*with its imports.*≈?\$.*There is no file docs\/plan\.md/s],
      ['What did everything cost, and why?', 'Show the Most Expensive Habits', /sessions on this machine.*≈?\$.*≈?\$[\d.]+,\s.*What to do:/s],
      ['See costs while you write', 'Turn On Hints', undefined],
    ]) await follow(page, pictures, step);
  },
  async graph(page, pictures) {
    const take = name => page.screenshot({ path: path.join(pictures, `graph-${name}.png`) });
    const begin = async (title, button) => {
      await run(page, 'Get Started with Context Graphs');
      await ticked(page, title, false);
      const step = page.locator('.getting-started-step', { hasText: title });
      await step.first().click();
      await read(page, title, { 'Open the Example': /but not the notes again/, 'Preview Prompt': /Change something and look again/ }[button]);
      await take(`walkthrough-${button.split(' ').at(-1).toLowerCase()}`);
      await step.locator('.monaco-button', { hasText: button }).first().click();
    };
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+w'); // other tabs are in the way
    await begin('Read a workflow with three steps', 'Open the Example');
    await see(page, 'the lens of a step', '.codelens-decoration', /^≈?[\d,]+ tokens · < 0\.1% · notes\/\*$/);
    await page.locator('.editor-actions a[aria-label^="Preview Prompt"]').first().waitFor();
    await begin('See what each step sends', 'Preview Prompt');
    await read(page, 'the prompt of step 1', /@llm on line 21 of Untitled-\d.*\$.*the system prompt.*block notes\/customers.*block notes\/costs.*its prompt.*List the facts/s);
    await take('prompt');
    const go = async line => {
      await page.keyboard.press('Control+g');
      await page.keyboard.type(String(line));
      await page.keyboard.press('Enter');
    };
    await go(30);
    await read(page, 'the prompt of step 2', /@llm on line 28 of.*not in the document yet.*facts.*block goal/s);
    await go(38);
    await read(page, 'the prompt of step 3', /@llm on line 38 of.*not in the document yet.*assessment/s);
    await go(39);
    await page.keyboard.press('End');
    await page.keyboard.type(' Be kind.');
    await read(page, 'an edit', /Write the decision to .* Be kind\./s);
    await go(21);
    await read(page, 'the prompt of step 1 again', /@llm on line 21 of/);
    await (await linked(page, 'notes/costs')).click(); // the cursor stays, and the preview does
    await see(page, 'a mark on the block', '.view-overlays .cdr[class*="ced-"]', /^$/);
    await take('block');
    await page.locator('.view-line', { hasText: 'Decide whether' }).first().click();
    await read(page, 'which steps send that', /No step at the cursor\s+This block is sent by the steps on line 28, line 38/);
    await take('nothing');
    await run(page, 'Get Started with Context Graphs');
    for (const [title, wanted] of [['Read a workflow with three steps', true], ['See what each step sends', true], ['Write three steps of your own', false]]) await ticked(page, title, wanted);
  },
};

main((host, folder, pictures) => look({ host, folder, file: 'currency/currency.go', pictures }, async page => {
  await readPast(page, pictures);
  await lookOnceMeasured(page);
  const take = async all => {
    for (const [name, step] of Object.entries(all)) {
      await step(page, pictures);
      await page.screenshot({ path: path.join(pictures, `${name}.png`) });
    }
  };
  await take(steps);
  await take(last);
  const toasts = await page.locator('.notification-toast').allInnerTexts();
  if (toasts.length > 0) throw new Error(`there are messages that nobody asked for: ${toasts.join('; ')}`);
}));
