// Bundles the extension into dist/; with the argument "test" its tests into build/test, for node --test; with "suite" what
// runs inside the extension host of a real VS Code into build/suite.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

const node = { bundle: true, platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'], logLevel: 'warning' };

if (process.argv[2] === 'test') {
  await rm('build/test', { recursive: true, force: true });
  await build({ ...node, entryPoints: ['test/*.test.ts'], outdir: 'build/test', sourcemap: 'inline' });
} else if (process.argv[2] === 'suite') {
  await build({ ...node, entryPoints: ['suite/trusted.ts', 'suite/untrusted.ts', 'suite/terminal.ts', 'suite/folders.ts'], outdir: 'build/suite', sourcemap: 'inline' });
} else {
  await rm('dist', { recursive: true, force: true });
  const small = { minify: true, legalComments: 'none' };
  const { metafile } = await build({ ...node, ...small, metafile: true, entryPoints: ['src/main.ts'], outdir: 'dist' });
  await build({
    ...small, bundle: true, platform: 'browser', format: 'iife', target: 'es2022', logLevel: 'warning',
    entryPoints: { panel: 'src/panel/webview.ts', prompt: 'src/panel/promptWebview.ts' }, outdir: 'dist',
  });
  writeFileSync('dist/licenses.txt', licenses(Object.keys(metafile.inputs)));
}

/** Returns the licences of the packages that files were bundled from. */
function licenses(files) {
  const folders = new Set(files.flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []));
  return [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) {
      throw new Error(`${name} has no licence file`);
    }
    return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
  }).join(`\n${'-'.repeat(80)}\n\n`);
}
