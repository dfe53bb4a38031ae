import assert from 'node:assert';
import { test } from 'node:test';
import { bundled, findCommand, findServer, type Places } from '../src/programs';

const unix: Places = {
  setting: '', extension: '/ext', path: '/usr/bin:.:bin:/opt/bin', home: '/home/me', platform: 'linux', runs: () => false,
};
const windows: Places = { ...unix, extension: 'C:\\ext', path: 'C:\\bin;.', home: 'C:\\me', platform: 'win32' };

const having = (places: Places, ...files: string[]): Places => ({ ...places, runs: (file) => files.includes(file) });

test('the server is what the setting names, or the bundled one, or one on PATH', () => {
  const all = ['/mine/ctxlsp', '/ext/bin/ctxlsp', '/opt/bin/ctxlsp'];
  assert.equal(findServer({ ...having(unix, ...all), setting: '/mine/ctxlsp' }), '/mine/ctxlsp');
  assert.equal(findServer(having(unix, ...all)), '/ext/bin/ctxlsp');
  assert.equal(findServer(having(unix, '/opt/bin/ctxlsp')), '/opt/bin/ctxlsp');
  assert.equal(findServer(having(unix)), undefined);
  assert.equal(findServer(having(windows, 'C:\\ext\\bin\\ctxlsp.exe')), 'C:\\ext\\bin\\ctxlsp.exe');
  assert.equal(findServer(having(windows, 'C:\\bin\\ctxlsp.exe')), 'C:\\bin\\ctxlsp.exe');
});

test('a setting that names nothing is not passed over', () => {
  assert.equal(findServer({ ...having(unix, '/ext/bin/ctxlsp'), setting: '/not/there' }), undefined);
});

test('the home directory can be said shortly, and a path relative to a workspace not at all', () => {
  assert.equal(findServer({ ...having(unix, '/home/me/bin/ctxlsp'), setting: '~/bin/ctxlsp' }), '/home/me/bin/ctxlsp');
  assert.equal(findServer({ ...having(windows, 'C:\\me\\ctxlsp.exe'), setting: '~\\ctxlsp.exe' }), 'C:\\me\\ctxlsp.exe');
  assert.equal(findServer({ ...having(unix, 'bin/ctxlsp'), setting: 'bin/ctxlsp' }), undefined);
});

test('what lies in a workspace is not run because PATH has a relative folder', () => {
  assert.equal(findServer(having(unix, 'ctxlsp', './ctxlsp', 'bin/ctxlsp')), undefined);
});

test('the command line is the one beside the server', () => {
  const all = ['/mine/ctxledger', '/ext/bin/ctxledger', '/usr/bin/ctxledger'];
  assert.equal(findCommand(having(unix, ...all), '/mine/ctxlsp'), '/mine/ctxledger');
  assert.equal(findCommand(having(unix, ...all), '/other/ctxlsp'), '/ext/bin/ctxledger');
  assert.equal(findCommand(having(unix, '/usr/bin/ctxledger'), undefined), '/usr/bin/ctxledger');
});

test('terminals get the folder of the extension only if the programs are in it', () => {
  assert.equal(bundled(having(unix, '/ext/bin/ctxledger', '/usr/bin/ctxledger')), '/ext/bin');
  assert.equal(bundled(having(windows, 'C:\\ext\\bin\\ctxledger.exe')), 'C:\\ext\\bin');
  assert.equal(bundled(having(unix, '/usr/bin/ctxledger')), undefined);
});
