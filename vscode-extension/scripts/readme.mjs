// Writes the page of the extension without its pictures, build/README.md, for packages whose pictures are served from nowhere: VS
// Code leaves out those of the package, and those inside of the text, and shows where they are missing.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const gallery = /^## What it looks like\n[^]*?(?=^## )/m;
const picture = /^!\[[^\]]*\]\(media\/[^)]*\)\n\n?/gm;

const page = readFileSync('README.md', 'utf8').replace(gallery, '').replace(picture, '');
mkdirSync('build', { recursive: true });
writeFileSync('build/README.md', page);
