// What the agent does while the editor is open.
import * as assert from 'node:assert/strict';
import { Agent } from './agent';
import { lens, lenses, open, root, set } from './project';
import { until, type Cases } from './run';

const agent = new Agent(root.fsPath);

export const live: Cases = {
  'a file that the session read often has a lens': async () => {
    await open('currency/currency.go');
    assert.match(await lens('currency/currency.go', /unchanged since/), /^read 3 times, ≈[\d,]+( tokens)? in window · unchanged since$/);
  },
  'what the agent reads meanwhile reaches the lens': async () => {
    await open('cart/cart.go');
    agent.ask('How does a cart add up?');
    agent.read('cart/cart.go');
    await lens('cart/cart.go', /read twice/);
    agent.read('cart/cart.go');
    await lens('cart/cart.go', /read 3 times/);
  },
  'a lens follows its setting': async () => {
    await open('currency/currency_test.go');
    assert.deepEqual(await lenses('currency/currency_test.go'), []);
    await set('lens', 'always');
    await lens('currency/currency_test.go', /tokens/);
    await set('lens', undefined);
    await until('no lens', async () => ((await lenses('currency/currency_test.go')).length === 0 ? true : undefined));
  },
};
