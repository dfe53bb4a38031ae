import assert from 'node:assert';
import { test } from 'node:test';
import figures from '../../internal/chars/testdata/figures.json';
import { escapeMarkdown, forMessage, inTokens, oneLine, sayMoney } from '../src/text';

test('money and tokens are said as everywhere in ctxledger', () => {
  for (const { n, exact, said } of figures.money) {
    assert.equal(sayMoney(n, exact), said);
  }
  for (const { n, exact, said } of figures.tokens) {
    assert.equal(inTokens({ n, exact }), said);
  }
});

test('a line is one line, of at most so many characters', () => {
  assert.equal(oneLine(' a\r\n\tb\u001b[31mc\u202ed ', 20), 'a b [31mc d');
  assert.equal(oneLine('abcdef', 6), 'abcdef');
  assert.equal(oneLine('abcdefg', 6), 'abcde…');
  assert.equal(oneLine('😀😀😀', 2), '😀…');
});

test('what Markdown would read is escaped', () => {
  assert.equal(escapeMarkdown('a*b_c`d'), 'a\\*b\\_c\\`d');
  assert.equal(escapeMarkdown('<img src=x>&lt;'), '&lt;img src=x\\>&amp;lt;');
  assert.equal(escapeMarkdown('![a](https://x.y)'), '\\!\\[a\\]\\(https\\://x\\.y\\)');
});

test('no message over the editor has a link', () => {
  const link = /\[[^\]]+\]\(/; // what VS Code looks for
  for (const text of ['[Mend it](command:workbench.action.x?%5B%5D)', '[[a]](https://x.y)', '[a](](command:x)', '[a]]((command:x)']) {
    assert.doesNotMatch(forMessage(text), link);
  }
  assert.equal(forMessage('cart.go[3] (1 of 2)'), 'cart.go[3] (1 of 2)');
});
