// Takes a picture of each screen of a terminal editor: terminal.cjs FOLDER MODULES. FOLDER has what tmux captured with its
// colours, a NAME.ansi each, and gets a NAME.png; MODULES are those of VS Code, whose terminal shows them.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { open } = require('./browser.cjs');

async function main(folder, modules) {
  const parts = path.join(modules, 'code-server/lib/vscode/node_modules/@xterm');
  const { browser, page } = await open({ viewport: { width: 1280, height: 600 }, deviceScaleFactor: 1.5 });
  try {
    for (const file of fs.readdirSync(folder).filter(name => name.endsWith('.ansi'))) {
      await page.setContent('<body style="margin:0;background:#1e1e1e"><div id="screen" style="display:inline-block;padding:8px"></div>');
      await page.addStyleTag({ path: path.join(parts, 'xterm/css/xterm.css') });
      for (const script of ['xterm/lib/xterm.js', 'addon-unicode11/lib/addon-unicode11.js']) {
        await page.addScriptTag({ path: path.join(parts, script) });
      }
      const lines = fs.readFileSync(path.join(folder, file), 'utf8').replace(/\n$/, '').split('\n');
      await page.evaluate(({ lines, cols }) => new Promise(done => {
        const terminal = new window.Terminal({ cols, rows: lines.length, fontFamily: 'monospace', fontSize: 13,
          cursorInactiveStyle: 'none', allowProposedApi: true, theme: { background: '#1e1e1e' } });
        terminal.loadAddon(new window.Unicode11Addon.Unicode11Addon());
        terminal.unicode.activeVersion = '11'; // how wide signs are
        terminal.open(document.getElementById('screen'));
        terminal.write(lines.join('\r\n'), () => requestAnimationFrame(() => requestAnimationFrame(done)));
      }), { lines, cols: 140 });
      await page.locator('#screen').screenshot({ path: path.join(folder, file.replace(/\.ansi$/, '.png')) });
    }
  } finally {
    await browser.close();
  }
}

main(...process.argv.slice(2)).catch(error => {
  console.error(error);
  process.exit(1);
});
