import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** How people see colours: as most do, and without one of the three kinds of cones (Machado, Oliveira, Fernandes 2009). */
const eyes: Readonly<Record<string, Matrix>> = {
  most: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const times = (matrix: Matrix, [x, y, z]: Triple): Triple =>
  matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Triple;

/** Returns the light of a colour: #rrggbb as linear parts. */
function light(colour: string): Triple {
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  return parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as unknown as Triple;
}

/** Returns a place in OKLab, in which distances are differences that people see; one in a hundred is just seen. */
function place(rgb: Triple): Triple {
  const cones = times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005]], rgb).map((cone) => Math.cbrt(Math.max(0, cone))) as unknown as Triple;
  return times([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766]], cones);
}

/** Returns how well two colours can be told apart by whoever sees that least. */
function apart(one: string, other: string): number {
  const seen = (colour: string, eye: Matrix): Triple =>
    place(times(eye, light(colour)).map((part) => Math.min(1, Math.max(0, part))) as unknown as Triple);
  return Math.min(...Object.values(eyes).map((eye) => {
    const [a, b] = [seen(one, eye), seen(other, eye)];
    return 100 * Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  }));
}

/** Returns the contrast of two colours, as WCAG computes it. */
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [one, other].map((colour) => times([[0.2126, 0.7152, 0.0722], [0, 0, 0], [0, 0, 0]], light(colour))[0] + 0.05)
    .sort((a, b) => a - b);
  return high / low;
}

test('the parts of a window can be told apart in every theme, and by the colour-blind', () => {
  const css = readFileSync('media/panel.css', 'utf8');
  const palette = (selector: string): Map<string, string> =>
    new Map([...(css.split(`\n${selector} { --results`)[1] ?? '').split('}')[0]!.matchAll(/(?:--)?([a-z]*): (#[0-9a-f]{6});/g)]
      .map(([, name = '', colour = '']) => [name === '' ? 'results' : name, colour]));
  for (const [selector, grounds] of [
    ['body', ['#1f1f1f', '#181818', '#000000']], ['.vscode-light, .vscode-high-contrast-light', ['#ffffff', '#f8f8f8']],
  ] as const) {
    const colours = [...palette(selector)];
    assert.equal(colours.length, 8, selector);
    colours.forEach(([name, colour], i) => {
      for (const ground of grounds) {
        assert.ok(contrast(colour, ground) >= 2.9, `${name} on ${ground}: ${contrast(colour, ground)}`);
      }
      for (const [other, theirs] of colours.slice(0, i)) {
        assert.ok(apart(colour, theirs) >= 10, `${selector}: ${name} and ${other}: ${apart(colour, theirs)}`);
      }
    });
  }
  const used = new Set([...css.matchAll(/\.ground-[^{]*\{ fill: var\(--([a-z]+)\)/g)].map((found) => found[1]));
  assert.deepEqual([...palette('body').keys()].filter((name) => !used.has(name)), []);
});
