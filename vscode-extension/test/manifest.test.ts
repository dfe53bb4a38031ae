import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';

interface Manifest {
  readonly icon: string;
  readonly contributes: {
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly scope: string }>> };
    readonly commands: readonly {
      readonly command: string; readonly title: string; readonly category: string; readonly enablement?: string;
    }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly icon: string }[] };
    readonly viewsWelcome: readonly { readonly contents: string }[];
    readonly 'markdown.previewStyles': readonly string[];
    readonly snippets: readonly { readonly language: string; readonly path: string }[];
    readonly walkthroughs: readonly {
      readonly id: string;
      readonly steps: readonly {
        readonly id: string; readonly description: string; readonly completionEvents: readonly string[];
        readonly media: { readonly markdown?: string; readonly image?: Readonly<Record<string, string>>; readonly altText?: string };
      }[];
    }[];
  };
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { commands, menus, viewsContainers, viewsWelcome, walkthroughs } = manifest.contributes;
const contributed = new Set(commands.map(({ command }) => command));

test('what menus, links and the status bar run is contributed', () => {
  const links = viewsWelcome.flatMap(({ contents }) => [...contents.matchAll(/\(command:(ctxledger\.\w+)/g)].map((match) => match[1] ?? ''));
  const source = readFileSync('src/status.ts', 'utf8');
  const clicks = [...source.matchAll(/'(ctxledger\.\w+)'/g)].map((match) => match[1] ?? '');
  assert.ok(links.length > 0 && clicks.length > 0);
  for (const command of [...Object.values(menus).flat().map((entry) => entry.command), ...links, ...clicks]) {
    assert.ok(contributed.has(command), command);
  }
});

test('every command that is contributed is registered', () => {
  const source = ['commands', 'panel', 'promptPreview'].map((name) => readFileSync(`src/${name}.ts`, 'utf8')).join('');
  for (const { command, category } of commands) {
    const name = command.replace('ctxledger.', '');
    assert.match(source, new RegExp(`\\b${name}\\b`), command);
    assert.equal(category, 'ctxledger');
  }
});

test('the pictures and pages that are named are there', () => {
  const source = ['commands', 'walkthrough', 'webviews'].map((name) => readFileSync(`src/${name}.ts`, 'utf8')).join('');
  const media = [...source.matchAll(/'media', '([\w.-]+)'/g)].map((match) => `media/${match[1] ?? ''}`);
  assert.ok(media.length >= 5, media.join(' '));
  for (const file of [...media, manifest.icon, ...viewsContainers.activitybar.map(({ icon }) => icon), ...manifest.contributes['markdown.previewStyles']]) {
    assert.ok(existsSync(file), file);
  }
});

/** Returns the pictures that the page of the extension names. */
function pictures(): string[] {
  const page = readFileSync('README.md', 'utf8');
  return [...page.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g)].map((match) => match[1] ?? match[2] ?? '');
}

test('every picture of the page and of the walkthrough is in the package, and all of them are small', () => {
  const named = pictures();
  assert.ok(named.length >= 6, named.join(' '));
  const packed = execFileSync('node_modules/.bin/vsce', ['ls', '--no-dependencies'], { encoding: 'utf8' }).split('\n');
  const stepped = walkthroughs.flatMap(({ steps }) => steps.flatMap(({ media }) => Object.values(media.image ?? {})));
  const all = [...new Set([...named, ...stepped])];
  for (const file of [...all, manifest.icon]) {
    assert.ok(packed.includes(file), `${file} is not packed: ${packed.join(' ')}`);
  }
  assert.deepEqual(packed.filter((file) => file.startsWith('media/page/')).sort(), all.sort(), 'no other pictures');
  const sizes = new Map(packed.filter((file) => file.startsWith('media/page/')).map((file) => [file, statSync(file).size]));
  assert.deepEqual([...sizes.keys()].filter((file) => file.endsWith('.webp') && sizes.get(file)! > 600_000), []);
  assert.ok([...sizes.values()].reduce((sum, size) => sum + size, 0) < 1_200_000, JSON.stringify([...sizes]));
});

test('a package has every program, and the page of programs says what it is for', () => {
  const script = readFileSync('scripts/release.sh', 'utf8');
  assert.match(script, /\n {2}cp "\$out\/\$platform"\/\* bin\/\n {2}pack /);
  assert.match(readFileSync('../lab/release/build.go', 'utf8'), /"go", "build", [\s\S]*?"\.\/cmd\/\.\.\."\)/);
  const page = readFileSync('media/programs.md', 'utf8');
  for (const program of readdirSync('../cmd')) {
    assert.ok(page.includes(`| \`${program}\` |`), program);
  }
});

test('a page whose pictures are served from nowhere has none, and all the rest', () => {
  execFileSync(process.execPath, ['scripts/readme.mjs']);
  const [page, bare] = [readFileSync('README.md', 'utf8'), readFileSync('build/README.md', 'utf8')];
  assert.doesNotMatch(bare, /!\[|media\/|\n\n\n/);
  assert.match(bare, /\n```text\n[\d.]+% +█+░+ +[\d,]+ of 200,000 tokens\n\$\d.*, at list prices\.\nEach further .*\n.*\.\n\ntool results +≈[\d,]+ +[\d.]+% +█+\n[^`]*[▏▎▍▌▋▊▉]\n[^`]*\ntotal +[\d,]+ +[\d.]+%\n```\n/, 'the first picture is in characters');
  const [drawn = ''] = /```text\n[^`]*/.exec(bare) ?? [];
  assert.ok(drawn.split('\n').every((line) => line.length <= 60), drawn); // a line was cut at the right
  const headings = (text: string): string[] => text.match(/^#+ .*$/gm) ?? [];
  assert.deepEqual(headings(bare), headings(page).filter((heading) => heading !== '## What it looks like'));
});

test('the icon is a PNG of 128 times 128', () => {
  const icon = readFileSync(manifest.icon);
  assert.deepEqual([icon.toString('latin1', 1, 4), icon.readUInt32BE(16), icon.readUInt32BE(20)], ['PNG', 128, 128]);
});

test('which program runs is for the machine to say, never for a workspace', () => {
  const { properties } = manifest.contributes.configuration;
  for (const [name, { scope }] of Object.entries(properties)) {
    assert.equal(scope, name === 'ctxledger.server.path' ? 'machine' : 'window', name);
  }
});

test('what needs a ledger is offered only where a folder is open; the panel says that none is', () => {
  for (const name of ['compact', 'startCompacted', 'restore', 'forget', 'countWorkspace']) {
    const command = commands.find((each) => each.command === `ctxledger.${name}`);
    assert.match(command?.enablement ?? '', /\bworkspaceFolderCount > 0\b/, name);
  }
});

test('each step of the walkthrough has one button that does it, a page, and is done when its result was seen', () => {
  assert.deepEqual(walkthroughs.map(({ id, steps }) => [id, steps[0]?.id, steps.at(-1)?.id]), [['ctxledger.start', 'past', 'habits'], ['ctxledger.graph', 'example', 'workflow']]);
  const source = ['walkthrough', 'panel', 'promptPreview'].map((name) => readFileSync(`src/${name}.ts`, 'utf8')).join('');
  for (const { id } of walkthroughs) {
    assert.match(source, new RegExp(`'ctxledger.ctxledger#${id}'`));
  }
  for (const { id, description, completionEvents, media } of walkthroughs.flatMap(({ steps }) => steps)) {
    const buttons = [...description.matchAll(/\n\[[^\]]+\]\(command:([\w.]+)\)/g)].map((match) => match[1] ?? '');
    assert.equal(buttons.length, 1, id);
    assert.ok(contributed.has(buttons[0]!), buttons[0]);
    assert.deepEqual(completionEvents, [`onContext:ctxledger.seen.${id}`], id);
    assert.match(source, new RegExp(`seen\\([^)]*'${id}'`), id);
    const shown = [...(media.markdown === undefined ? [] : [media.markdown]), ...Object.values(media.image ?? {})];
    assert.ok(shown.length > 0 && shown.every((file) => existsSync(file)), shown.join(' '));
    assert.equal(media.image === undefined, media.altText === undefined, id);
  }
});

test('the snippets are in the package, with what they do, and are named by the walkthrough', () => {
  const [{ language, path } = { language: '', path: '' }, ...others] = manifest.contributes.snippets;
  assert.deepEqual([language, others.length], ['markdown', 0]);
  const snippets = Object.values(JSON.parse(readFileSync(path, 'utf8')) as Record<string, { readonly prefix: string; readonly description: string }>);
  const page = readFileSync('media/walkthrough/workflow.md', 'utf8');
  for (const { prefix, description } of snippets) {
    assert.ok(page.includes(`\`${prefix}\``) && description !== '', prefix);
  }
  assert.match(readFileSync('.vscodeignore', 'utf8'), /^!snippets\/\*\*$/m);
});

test('the walkthrough and the tutorial explain the marks that a step can have', () => {
  const marks = [...readFileSync('../lsp/graphfile/lens.go', 'utf8').matchAll(/signs\[path\] = "(.)"/g)].map((match) => match[1]);
  assert.deepEqual(marks, ['+', '?']);
  for (const page of ['media/walkthrough/example.md', 'media/walkthrough/workflow.md', '../docs/tutorials/context-graph.md']) {
    const text = readFileSync(page, 'utf8');
    assert.deepEqual(marks.filter((mark) => !text.includes(`\`${mark}\``)), [], page);
  }
});

test('the style for previews is for turns of sessions only, by the class that the server gives them', () => {
  const rules = readFileSync('media/preview.css', 'utf8').replace(/\/\*.*?\*\//gs, '');
  const selectors = [...rules.matchAll(/([^{}]+)\{[^{}]*\}/g)].flatMap((match) => (match[1] ?? '').split(',').map((one) => one.trim()));
  assert.ok(selectors.length > 0);
  assert.deepEqual(selectors.filter((selector) => !selector.startsWith('details.ctxledger')), []);
  assert.match(readFileSync('../records/markdown.go', 'utf8'), /<details class="ctxledger">/);
});
