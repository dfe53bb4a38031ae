import assert from 'node:assert';
import path from 'node:path';
import { test } from 'node:test';
import type { EnvironmentVariableCollection } from 'vscode';
import { extendPath } from '../src/terminals';

test('the programs of the extension come last on PATH, and go when they are gone', () => {
  const told: string[] = [];
  const variables = {
    clear: () => { told.length = 0; },
    append: (name: string, value: string) => { told.push(`${name} ${value}`); },
  } as unknown as EnvironmentVariableCollection;
  extendPath(variables, '/ext/bin');
  assert.deepEqual(told, [`PATH ${path.delimiter}/ext/bin`]);
  extendPath(variables, undefined);
  assert.deepEqual(told, []);
});
