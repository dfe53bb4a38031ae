// What scripts of webviews do to their documents.

const shown = new Map<string, string>();

/** Returns an element of the document. */
export function at(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`the page has no ${id}`);
  }
  return found;
}

/** Writes markup where it changed, so that what stays the same keeps its selection and costs nothing. */
export function put(id: string, markup: string): void {
  if (shown.get(id) !== markup) {
    shown.set(id, markup);
    at(id).innerHTML = markup;
  }
}

/** Returns the data of the button that was clicked; nothing where none was. */
export function clicked({ target }: Event): DOMStringMap | undefined {
  return target instanceof Element ? target.closest('button')?.dataset : undefined;
}
