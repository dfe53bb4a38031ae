// The panel in words: the text that every face shows.
import type { Context } from '../protocol';
import { element, escape } from './html';

/** Returns what fills the window and what happens next, as text to be read or copied; '' where nothing is known. */
export function wordsSection({ text = '', more = '' }: Context): string {
  const said = [text, more].filter((part) => part !== '').join('\n\n');
  return said === '' ? '' : element('details', { class: 'words' }, element('summary', {}, 'As text, and what is cut next'),
    element('pre', {}, escape(said)));
}
