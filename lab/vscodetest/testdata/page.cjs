// Takes the pictures of the extension's page: page.cjs HOST FOLDER PICTURES. Parts of the window as they are, and the frames
// of its animation, with frames.json saying how many milliseconds each is shown. page.py makes what is published of them.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { inside, look, lookOnceMeasured, main, read, rows, run, see, settle, showViews, status } = require('./browser.cjs');

/** Small, so that text can be read in a column of a page, and with more pixels than that for screens that have them. */
const size = { viewport: { width: 1230, height: 680 }, deviceScaleFactor: 1.5 };
const sidebar = 380;
const narrow = 1010;

/** A pointer, which pictures of a page do not have. */
function addPointer() {
  const pointer = document.createElement('div');
  pointer.id = 'pointer';
  pointer.style.cssText = 'position:fixed;left:0;top:0;z-index:1000000;pointer-events:none;display:none';
  pointer.innerHTML = '<svg width="20" height="26" viewBox="0 0 20 26"><path d="M2 2v18l4.6-4.3 3 7.2 3.4-1.4-3-7H16z" fill="#fff" stroke="#222" stroke-width="1.5" stroke-linejoin="round"/></svg>';
  document.body.append(pointer);
}

/** The frames of the animation, taken one after the other. */
class Film {
  frames = [];

  constructor(page, pictures) {
    Object.assign(this, { page, pictures });
  }

  /** Takes a frame that is shown so long. */
  async shoot(ms) {
    const file = `frame-${String(this.frames.length).padStart(2, '0')}.png`;
    await this.page.screenshot({ path: path.join(this.pictures, file) });
    this.frames.push({ file, ms });
  }

  /** Moves the pointer to the middle of what is found, or to a place in it. */
  async point(found, at) {
    const box = await found.boundingBox();
    const [x, y] = [box.x + (at?.x ?? Math.min(box.width / 2, 120)), box.y + (at?.y ?? box.height / 2)];
    await this.page.mouse.move(x, y, { steps: 5 });
    await this.page.evaluate(([left, top]) => {
      document.getElementById('pointer').style.cssText += `;left:${left - 2}px;top:${top - 2}px;display:block`;
    }, [x, y]);
  }

  async click(found, at) {
    await this.point(found, at);
    await settle(this.page); // a tooltip is there, or not
    await this.shoot(600);
    await this.page.mouse.down();
    await this.page.mouse.up();
  }

  end() {
    fs.writeFileSync(path.join(this.pictures, 'frames.json'), JSON.stringify(this.frames));
  }
}

/** Takes a part of the window down to a height, with the words that are in it: page.py notes them in the picture. */
async function part(page, pictures, name, selector, bottom, words = page.locator(selector).first()) {
  const box = await page.locator(selector).first().boundingBox();
  await page.screenshot({ path: path.join(pictures, `${name}.png`), clip: { ...box, height: bottom - box.y } });
  fs.writeFileSync(path.join(pictures, `${name}.txt`), (await words.innerText()).replace(/\s+/g, ' ').trim());
}

/** Takes the panel with what fills the window and how it grew, which is higher than the window. */
async function takePanel(page, pictures) {
  const pointer = page.locator('#pointer');
  await pointer.evaluate(shown => { shown.style.visibility = 'hidden'; });
  await page.setViewportSize({ ...size.viewport, height: 1700 });
  await settle(page);
  const { y } = await inside(page).locator('#sources').boundingBox();
  await part(page, pictures, 'panel', '.part.editor', y - 16, inside(page).locator('body'));
  await page.setViewportSize({ width: narrow, height: 1700 }); // for the walkthrough, which has less room
  await settle(page);
  const grown = await inside(page).locator('#grown').boundingBox();
  await part(page, pictures, 'window', '.part.editor', grown.y - 12, inside(page).locator('body'));
  await page.setViewportSize(size.viewport);
  await pointer.evaluate(shown => { shown.style.visibility = ''; });
}

/** Takes the icon of the extension, of which there is a drawing. */
async function takeIcon(page, pictures) {
  const icon = await page.context().browser().newPage({ viewport: { width: 128, height: 128 } });
  const drawing = fs.readFileSync(path.join(__dirname, '../../../vscode-extension/icon.svg'), 'utf8');
  await icon.setContent(`<body style="margin:0">${drawing}</body>`);
  await icon.screenshot({ path: path.join(pictures, 'icon.png'), omitBackground: true });
}

/** Leaves out what only a VS Code in a browser has, and makes the side bar a little wider. */
async function arrange(page) {
  await page.addStyleTag({ content: '.statusbar-item:is([id="status.host"], [id="status.forwardedPorts"]), .statusbar-item[aria-label^="Layout: "] { display: none !important; }' });
  const { x, y, width, height } = await page.locator('.part.sidebar').boundingBox();
  await page.mouse.move(x + width, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(sidebar, y + height / 2, { steps: 5 });
  await page.mouse.up();
}

/** Reads the sessions of before, and closes the page that says so. */
async function readPast(page) {
  await run(page, 'Read Past Sessions');
  await read(page, 'what was read', /3 past sessions read/);
  await page.getByRole('tab', { name: /^What Your Last Finished Session Cost/ }).first().click({ button: 'middle' });
}

// Sessions of before are read first, and what is measured is awaited: both change estimates a little while later, and one
// session is to have the same figures in all pictures.
main((host, folder, pictures) => look({ host, folder, file: 'CLAUDE.md', pictures, size }, async page => {
  const film = new Film(page, pictures);
  await see(page, 'the status bar', status, /\d+%/);
  await showViews(page);
  await arrange(page);
  await see(page, 'the live session with its cost', rows, /≈?\$\d.* · Please get to know/s);
  await readPast(page);
  await lookOnceMeasured(page);
  await see(page, 'a lens', '.codelens-decoration', /: ≈[\d,]+ tokens in every request/);
  await page.evaluate(addPointer);
  await settle(page);
  await film.click(page.locator(`${status} a`));
  const panel = inside(page);
  await panel.locator('svg.bar').first().waitFor();
  await film.shoot(2200);
  await takePanel(page, pictures);
  await panel.locator('#growth').evaluate(chart => chart.scrollIntoView());
  await film.point(panel.locator('#growth'), { x: 690 });
  await settle(page);
  await film.shoot(2000);

  await page.getByRole('tab', { name: /^CLAUDE\.md/ }).first().click();
  await film.point(page.locator('.view-line', { hasText: 'Tests' }).locator('span span').first(), { x: 40 });
  await see(page, 'a hover', '.monaco-hover', /counted on its own.*in the file/s);
  await settle(page);
  await film.shoot(2200);
  await part(page, pictures, 'file', '.part.editor', 340);

  const past = await see(page, 'a session of before', rows, /^≈?\$.* · The last oak/s);
  const last = await page.locator(rows).last().boundingBox();
  await part(page, pictures, 'ledger', '.part.sidebar', last.y + last.height + 12);
  await film.click(past);
  const turn = inside(page).locator('details[open] > summary', { hasText: /^Turn 1 · .*The last oak table was sold twice/ });
  await turn.waitFor();
  await turn.evaluate(summary => summary.scrollIntoView());
  await settle(page);
  await film.shoot(2400);
  film.end();
  await takeIcon(page, pictures);
}));
