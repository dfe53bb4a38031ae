// The documents inside webviews, before their scripts have filled them.
import { element } from './html';
import { textures } from './palette';

/** Where the document gets its parts from. */
export interface Parts {
  /** What the content security policy calls the extension's own files. */
  readonly source: string;
  readonly nonce: string;
  readonly script: string;
  readonly style: string;
}

/** Returns the document of what fills the context window. */
export function panelPage(parts: Parts): string {
  const chart = { id: 'growth', role: 'slider', tabindex: 0, 'aria-label': 'Turns', 'aria-valuemin': 1 };
  return page(parts, 'Context',
    element('main', {},
      element('header', { id: 'head' }, element('p', { class: 'about' }, 'Reading the ledger…')),
      element('div', { id: 'window' }),
      element('section', { id: 'grown', hidden: 'hidden', 'aria-labelledby': 'grew' },
        element('h2', { id: 'grew' }, 'How the agent\'s window grew'), element('div', chart),
        element('p', { id: 'keys' }), element('div', { id: 'turn' })),
      element('div', { id: 'sources' }), element('div', { id: 'sent' }), element('div', { id: 'words' })),
    textures());
}

/** Returns the document of what an operation sends. */
export function promptPage(parts: Parts): string {
  return page(parts, 'Prompt', element('main', {},
    element('header', { id: 'head' }, element('p', { class: 'about' }, 'Reading the document…')), element('div', { id: 'messages' })));
}

/**
 * Returns a document. Nothing in it comes from anywhere but the extension, and nothing is written into it but by
 * its script.
 */
function page({ source, nonce, script, style }: Parts, title: string, ...content: readonly string[]): string {
  const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>\n` + element('html', { lang: 'en' },
    element('head', {},
      '<meta charset="utf-8">', `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      '<meta name="viewport" content="width=device-width, initial-scale=1">', element('title', {}, title),
      `<link rel="stylesheet" href="${style}">`),
    element('body', {}, ...content, element('script', { nonce, src: script })));
}
