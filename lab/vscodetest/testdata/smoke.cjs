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
  async panel(page) {
    await page.locator(`${status} a`).click();
    const panel = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
    await panel.locator('svg.bar').first().waitFor(); // of one or two
    console.log('seen: the panel');
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
    for (const [name, step] of Object.entries(steps)) {
      await step(page);
      await page.screenshot({ path: path.join(pictures, `${name}.png`) });
    }
    const toasts = await page.locator('.notification-toast').allInnerTexts();
    if (toasts.length > 0) throw new Error(`there are messages that nobody asked for: ${toasts.join('; ')}`);
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
