// Text of others, made ready for the places of VS Code that would read more into it.

const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** Returns a text as one line of at most so many characters, without characters that steer a terminal or turn text. */
export function oneLine(text: string, longest: number): string {
  const characters = [...text.replace(controls, ' ').trim()];
  return characters.length <= longest ? characters.join('') : characters.slice(0, longest - 1).join('') + '…';
}

/** Returns a text for a label in which $(name) would be an icon. */
export function escapeIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/** Returns a text for Markdown that stays what it is, in a cell of a table too. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$:@&]/g, (c) => (c === '&' ? '&amp;' : c === '<' ? '&lt;' : `\\${c}`));
}

/** Returns a number with its thousands apart, as everywhere in ctxledger. */
export function commas(n: number): string {
  return n.toLocaleString('en-US', { maximumFractionDigits: 0 });
}
