// Text and markup, so that words of others never become markup.

const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Returns a text for markup, in an element or in the quotes of an attribute. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => named[c] ?? c);
}

/** Attributes by name; those that are undefined are left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Returns an element of HTML or SVG. Its content is markup. */
export function element(name: string, attributes: Attributes = {}, ...content: readonly string[]): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  const head = given.map(([key, value]) => ` ${key}="${escape(String(value))}"`).join('');
  return `<${name}${head}>${content.join('')}</${name}>`;
}
