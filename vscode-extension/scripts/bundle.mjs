// Bundles the extension into dist/; with the argument "test" its tests into build/test, for node --test.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

const node = { bundle: true, platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'], logLevel: 'warning' };

if (process.argv[2] === 'test') {
  await rm('build/test', { recursive: true, force: true });
  await build({ ...node, entryPoints: ['test/*.test.ts'], outdir: 'build/test', sourcemap: 'inline' });
} else {
  await rm('dist', { recursive: true, force: true });
  const small = { minify: true, legalComments: 'none' };
  await build({ ...node, ...small, entryPoints: ['src/main.ts'], outdir: 'dist' });
  await build({ ...small, bundle: true, platform: 'browser', format: 'iife', target: 'es2022', logLevel: 'warning',
    entryPoints: ['src/panel/webview.ts'], outfile: 'dist/panel.js' });
}
