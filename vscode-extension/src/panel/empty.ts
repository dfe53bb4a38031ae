// What is said where there is nothing to show.
import type { Trouble } from '../protocol';
import { element, escape } from './html';

/** Returns why there is nothing, and what to do about it; more is markup. */
export function empty(title: string, lines: readonly string[], more = ''): string {
  const paragraphs = lines.filter((line) => line !== '').map((line) => element('p', {}, escape(line)));
  return element('div', { class: 'empty' }, element('h1', {}, title), ...paragraphs, more);
}

/** Returns what went wrong. */
export function troubled(title: string, { problem, hint }: Trouble): string {
  return empty(title, [problem, hint], element('button', { 'data-wish': 'log' }, 'Show the Log'));
}
