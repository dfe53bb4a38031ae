// Looks at VS Code as a person does: smoke.cjs HOST FOLDER FILE PICTURES. Opens the file of the folder, then the tree of
// the ledger, then the panel, waits for what each is to show, and takes a picture of each into a directory.
'use strict';
const path = require('node:path');
const { open, address } = require('./browser.cjs');

const status = '.statusbar-item[id="ctxledger.ctxledger.ctxledger.status"]';
const rows = '.pane-body .monaco-list-row';

/** The steps, with the pictures after which they are named. */
const steps = {
  async editor(page) {
    await see(page, 'the status bar', status, /\d+ % claude-sonnet-4-5/);
    await see(page, 'a code lens', '.codelens-decoration', /^≈[\d,]+ tokens · .* · read \d+ times, ≈[\d,]+ tokens · unchanged since$/);
  },
  async tree(page) {
    await page.locator('.activitybar .action-item a[aria-label="ctxledger"]').click();
    for (const root of ['Sessions', 'Artifacts', 'Memory', 'Changes']) await see(page, root, rows, new RegExp(`^${root}`));
    await page.locator(rows, { hasText: /^Sessions/ }).click();
    await see(page, 'the live session', rows, /Please get to know this shop/);
    await see(page, 'what every request carries', rows, /^Claude Code/);
    await see(page, 'a memory file', rows, /^CLAUDE\.md/);
  },
  async session(page) {
    await page.locator(rows, { hasText: /Please get to know this shop/ }).first().click();
    const preview = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
    await preview.locator('details[open] > summary', { hasText: /^Turn \d+ · / }).last().waitFor();
    await preview.locator('details:not([open]) > summary').first().click();
    await preview.locator('details[open] > summary', { hasText: /^Turn 1 · / }).waitFor();
    await see(page, 'a tab named by the title', '.tab', /Please get to know this shop/);
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
    const panel = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
    await panel.locator('svg.bar').first().waitFor(); // of one or two
    console.log('seen: the panel');
  },
};

/** The steps after which there is a message, for which the person has asked. */
const asked = {
  async walkthrough(page) {
    await page.keyboard.press('F1');
    await page.keyboard.type('ctxledger: Get Started');
    await see(page, 'the command', '.quick-input-list .monaco-list-row', /Get Started/);
    await page.keyboard.press('Enter');
    for (const button of ['Show the Cost', 'Show the Cost of CLAUDE.md']) {
      const step = page.locator('.getting-started-step', { hasText: button });
      await step.first().click();
      await step.locator('.monaco-button', { hasText: button }).first().click();
      await see(page, button, '.notification-toast', button === 'Show the Cost' ? /The live session, “Please get to know/ : /carries CLAUDE\.md: .*tokens/);
    }
  },
};

/** Waits until something with a text is to be seen. */
async function see(page, what, selector, text) {
  try {
    await page.locator(selector).filter({ hasText: text }).first().waitFor();
  } catch (error) {
    throw new Error(`${what} is not to be seen; there is ${JSON.stringify(await page.locator(selector).allInnerTexts())}`, { cause: error });
  }
  console.log('seen:', what);
}

async function main([host, folder, file, pictures]) {
  const { browser, page } = await open();
  try {
    await page.goto(address(host, folder, [['openFile', `vscode-remote://${host}${path.join(folder, file)}`]]));
    const take = async all => {
      for (const [name, step] of Object.entries(all)) {
        await step(page);
        await page.screenshot({ path: path.join(pictures, `${name}.png`) });
      }
    };
    await take(steps);
    const toasts = await page.locator('.notification-toast').allInnerTexts();
    if (toasts.length > 0) throw new Error(`there are messages that nobody asked for: ${toasts.join('; ')}`);
    await take(asked);
  } catch (error) {
    await page.screenshot({ path: path.join(pictures, 'failure.png') });
    throw error;
  } finally {
    await browser.close();
  }
}

main(process.argv.slice(2)).catch(error => {
  console.error(error);
  process.exit(1);
});
