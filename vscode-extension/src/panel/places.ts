// The documents that the panel opens. What it names came from the ledger, so it is checked.

/** Returns the address of a summary; nothing for what is no id of one. */
export function summaryUri(id: string): string | undefined {
  return /^[0-9a-f]{6,64}$/.test(id) ? `ctxledger:/summary/${id}.md` : undefined;
}

/** Returns the address of a file as the ledger has it, below a folder; nothing for one that lies elsewhere. */
export function insideOf(folder: string | undefined, name: string): string | undefined {
  const steps = name.split('/');
  const outside = /[\\:\u0000-\u001f]/.test(name) || steps.some((step) => step === '' || step === '.' || step === '..');
  return folder === undefined || outside ? undefined : `${folder.replace(/\/+$/, '')}/${steps.map(encodeURIComponent).join('/')}`;
}
