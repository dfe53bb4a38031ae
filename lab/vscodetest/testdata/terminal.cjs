// Takes a picture of each screen of a terminal editor: terminal.cjs FOLDER MODULES. FOLDER has what tmux captured with its
// colours, a NAME.ansi each, and gets a NAME.png; MODULES are those of VS Code, whose terminal shows them.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { open } = require('./browser.cjs');

async function main(folder, modules) {
  const xterm = path.join(modules, 'code-server/lib/vscode/node_modules/@xterm/xterm');
  const { browser, page } = await open({ viewport: { width: 1280, height: 600 }, deviceScaleFactor: 1.5 });
  try {
    for (const file of fs.readdirSync(folder).filter(name => name.endsWith('.ansi'))) {
      await page.setContent('<body style="margin:0;background:#1e1e1e"><div id="screen" style="display:inline-block;padding:8px"></div>');
      await page.addStyleTag({ path: path.join(xterm, 'css/xterm.css') });
      await page.addScriptTag({ path: path.join(xterm, 'lib/xterm.js') });
      const lines = fs.readFileSync(path.join(folder, file), 'utf8').replace(/\n$/, '').split('\n');
      await page.evaluate(({ lines, cols }) => new Promise(done => {
        const terminal = new window.Terminal({ cols, rows: lines.length, fontFamily: 'monospace', fontSize: 13,
          cursorInactiveStyle: 'none', theme: { background: '#1e1e1e' } });
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
