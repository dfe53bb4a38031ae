// Looks at the view of a workspace in which nothing is recorded: empty.cjs HOST FOLDER PICTURES. Nothing is read before the
// button is pressed; then the sessions of before are there with what they cost, and one opens.
'use strict';
const path = require('node:path');
const { inside, look, main, read, rows, see, showViews, status } = require('./browser.cjs');

main((host, folder, pictures) => look({ host, folder, pictures }, async page => {
  const take = name => page.screenshot({ path: path.join(pictures, `${name}.png`) });
  await showViews(page);
  await see(page, 'the words of welcome', '.welcome-view-content', /No session is recorded here yet/);
  const button = await see(page, 'the button', '.welcome-view-content .monaco-button', /^Read Past Sessions$/);
  await take('empty');
  await button.click();
  await read(page, 'what was read, and what the newest one cost', /3 past sessions read\..*Receipts have to be printed.*≈?\$\d+\.\d+, at list prices/s);
  await see(page, 'that no session is live', '.pane-body .message', /No session is live\./);
  for (const title of ['Receipts have', 'Customers ask', 'The last oak']) {
    await see(page, `a session with its cost: ${title}`, rows, new RegExp(`^≈?\\$\\d+\\.\\d+ · (\\w{3} \\d+|\\d{4}-\\d\\d-\\d\\d) · ${title}`));
  }
  await take('past');
  await page.locator(rows, { hasText: / · The last oak/ }).click();
  await inside(page).locator('details[open] > summary', { hasText: /^Turn 1 · .*The last oak table was sold twice/ }).waitFor();
  await take('opened');
  if (await page.locator(status).count() > 0) throw new Error('a session of before is shown as if it were live');
}));
