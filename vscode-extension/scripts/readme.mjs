// Writes the page of the extension without its pictures, build/README.md, for packages whose pictures are served from nowhere: VS
// Code leaves out those of the package, and those inside of the text, and shows where they are missing. The one at the top becomes
// the panel in characters, with the figures that are to be read in its picture: page.py notes them in it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const gallery = /^## What it looks like\n[^]*?(?=^## )/m;
const picture = /^!\[[^\]]*\]\(media\/[^)]*\)\n\n?/gm;

/** Returns the words that are noted in a PNG. */
function noted(file) {
  const png = readFileSync(file);
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'iTXt') {
      return png.toString('utf8', at + 8, at + 8 + png.readUInt32BE(at)).split('\0').at(-1);
    }
  }
  throw new Error(`${file} has no words`);
}

/** Returns the panel that words are of: how full the window is, what that costs, and what fills it. */
function panel(words) {
  const head = /In the agent's window now (([\d.]+)%) · ([\d,]+ of [\d,]+ tokens).*? free(?: until auto-compact)? (\$.*?\.) (Each further .*?\.) /.exec(words);
  const table = / tokens of the window (.*?) (total) ([\d,]+) ([\d.]+%) /.exec(words);
  const rows = [...(table?.[1] ?? '').matchAll(/(\D+?) (≈?[\d,]+) ((?:< )?[\d.]+%) ?/g)];
  if (head === null || rows.length < 4) {
    throw new Error('the words of the panel are others');
  }
  const [, share, percent, held, cost, next] = head;
  const full = Math.round(percent / (100 / cells));
  const most = Math.max(...rows.map(([, , , part]) => parseFloat(part) || 0));
  const line = (name, tokens, part, bar = '') => `${name.padEnd(28)}${tokens.padStart(9)}${part.padStart(8)}  ${bar}`.trimEnd();
  return [
    `${share}  ${'█'.repeat(full)}${'░'.repeat(cells - full)}  ${held}`, cost, ...wrapped(next), '',
    ...rows.map(([, name, tokens, part]) => line(name, tokens, part, part.startsWith('<') ? '' : eighths(parseFloat(part) / most))),
    line(...table.slice(2)),
  ].join('\n');
}

/** How wide the bars are, the one of the window and the longest of a part, and a line at most: the page has no more room. */
const [cells, cellsOfPart, longest] = [24, 12, 60];

/** Returns a bar of a share of the longest one, in eighths of a block. */
function eighths(share) {
  const n = Math.round(8 * cellsOfPart * share);
  return '█'.repeat(n >> 3) + ['', ...'▏▎▍▌▋▊▉'][n & 7];
}

/** Returns a text in lines. */
function wrapped(text) {
  return text.match(new RegExp(`.{1,${longest}}(?= |$)`, 'g')).map((part) => part.trim());
}

const drawn = `The panel, with the figures of an example:\n\n\`\`\`text\n${panel(noted('media/page/panel-dark.png'))}\n\`\`\`\n\n`;
const [top, ...rest] = readFileSync('README.md', 'utf8').replace(gallery, '').split(picture);
mkdirSync('build', { recursive: true });
writeFileSync('build/README.md', top + drawn + rest.join(''));
