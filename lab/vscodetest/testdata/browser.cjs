// The browser in which a person would sit: Debian's Chromium, driven by playwright-core.
'use strict';
const path = require('node:path');
const { chromium } = require('playwright-core');

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

/** How long a test waits for what should take a second, in milliseconds. */
exports.patience = 180_000;

/** Opens a page of the size of a laptop's window. */
exports.open = async (size = { viewport: { width: 1280, height: 1000 } }) => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: flags });
  const page = await browser.newPage(size);
  page.setDefaultTimeout(exports.patience);
  return { browser, page };
};

/** The address of the workbench with a folder open, or the folders of a workspace's file, and a payload of settings. */
exports.address = (host, place, payload) => {
  const kind = place.endsWith('.code-workspace') ? 'workspace' : 'folder';
  return `http://${host}/?${new URLSearchParams({ [kind]: place, payload: JSON.stringify(payload) })}`;
};

/** Rows of a view, the item of the session in the status bar. */
exports.rows = '.pane-body .monaco-list-row';
exports.status = '.statusbar-item[id="ctxledger.ctxledger.ctxledger.status"]';

/** Waits until something with a text is to be seen, and returns where. */
exports.see = async (page, what, selector, text) => {
  const found = page.locator(selector).filter({ hasText: text }).first();
  try {
    await found.waitFor();
  } catch (error) {
    throw new Error(`${what} is not to be seen; there is ${JSON.stringify(await page.locator(selector).allInnerTexts())}`, { cause: error });
  }
  console.log('seen:', what);
  return found;
};

/** Waits until nothing moves any more. */
exports.settle = page => page.waitForTimeout(700);

/**
 * How many requests of all recorded sessions measure their tokenizer. Of a session that is being read, those that are there
 * are measured first, and the others half a minute later.
 */
const measured = 189;

/**
 * Waits until figures rest on all that is measured, also of the sessions of before, which are to be read first: so all
 * pictures have the same figures. A click on the status bar asks again. Then the panel is closed.
 */
exports.lookOnceMeasured = async page => {
  await exports.see(page, 'the status bar', exports.status, /\d+%/);
  const panel = exports.inside(page);
  const basis = panel.getByText(`calibrated on ${measured} requests`);
  for (let i = 0; await basis.count() === 0; i++) {
    if (i > 60 && await panel.getByText(/calibrated on 18\d requests/).count() > 0) break; // a few may not count, by how the files were read: no pictures are published then
    if (i > 180) throw new Error(`there are not ${measured} measurements: ${await panel.getByText(/calibrated/).allInnerTexts()}`);
    await page.locator(`${exports.status} a`).click();
    await exports.settle(page);
  }
  console.log('seen:', await panel.getByText(/calibrated on/).innerText());
  await page.getByRole('tab', { name: /^Context/ }).first().click({ button: 'middle', timeout: 20_000 });
};

/** Opens the views of ctxledger. */
exports.showViews = page => page.locator('.activitybar .action-item a[aria-label="ctxledger"]').click();

/**
 * Runs a command of the palette by its title. A page in a page that has the focus gets the key, and loses it while it is
 * being loaded, or for ever if its editor has gone: so the focus is taken from it. It may take the focus when the palette is
 * open, which closes it: then the key is pressed again, each time later, since a busy machine takes longer to
 * filter the list than to lose a key. Nothing else is typed, since it would go into the editor then: the field is given its
 * text, and the row, which is waited for until the list is filtered, is clicked.
 */
exports.run = async (page, title) => {
  const row = page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: `ctxledger: ${title}` });
  const found = async soon => {
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input.input').evaluate((field, text) => {
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }, `>ctxledger: ${title}`, soon);
    await row.click(soon);
    return true;
  };
  for (let timeout = exports.patience / 32; timeout <= exports.patience; timeout *= 2) {
    if (await found({ timeout }).catch(() => false)) {
      console.log('seen: the command', title);
      return;
    }
  }
  throw new Error(`the palette does not offer “${title}”`);
};

/** The document in the preview or the panel that is in front. */
exports.inside = page => page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');

/** Waits until a text is to be read in one of several previews or panels. */
exports.read = async (page, what, text) => {
  const until = Date.now() + exports.patience;
  for (let said = []; Date.now() < until; await page.waitForTimeout(100)) {
    said = await Promise.all(page.frames().map(frame => frame.locator('body').innerText({ timeout: 1000 }).catch(() => '')));
    if (said.some(words => text.test(words))) {
      console.log('seen:', what);
      return;
    }
  }
  throw new Error(`${what} is not to be read: ${text}`);
};

/** Opens a folder with a file and lets a script look at it. Where that fails there is a picture of what there was instead. */
exports.look = async ({ host, folder, file, pictures, size }, script) => {
  const { browser, page } = await exports.open(size);
  try {
    const open = file === undefined ? [] : [['openFile', `vscode-remote://${host}${path.join(folder, file)}`]];
    await page.goto(exports.address(host, folder, open));
    await script(page);
  } catch (error) {
    await page.screenshot({ path: path.join(pictures, 'failure.png') });
    throw error;
  } finally {
    await browser.close();
  }
};

/** Runs a script that ends the process with its failure. */
exports.main = script => script(...process.argv.slice(2)).catch(error => {
  console.error(error);
  process.exit(1);
});
