// Counting a workspace: its directories by tokens, to open or to ignore.
import * as vscode from 'vscode';
import { childrenOf, isHere, nameOf, parentOf, sayDirectory, titleOf } from './directories';
import { sentenceOf } from './failures';
import type { Counted, Directory, Done } from './protocol';
import type { Server } from './server';
import { serverCommands } from './serverCommands';
import { escapeIcons, forMessage } from './text';

interface Choice extends vscode.QuickPickItem {
  readonly directory?: Directory;
}

const ignoreButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('eye-closed'), tooltip: 'Add this directory to .gitignore' };
const upwards: Choice = { label: '$(arrow-up) ..' };

/** Counts the workspace, with the progress that the server shows, and lists its directories below the sum. */
export async function countWorkspace(server: Server): Promise<void> {
  const counted = (await server.execute(serverCommands.countWorkspace, { quiet: true })) as Counted;
  if (childrenOf(counted, '').length > 0) {
    list(server, counted);
  } else if (counted.said !== undefined) {
    void vscode.window.showInformationMessage(forMessage(counted.said));
  }
}

/** Lists directories until the user turns away: choosing one opens it, its button has git ignore it. */
function list(server: Server, counted: Counted): void {
  const picker = vscode.window.createQuickPick<Choice>();
  const ignored = new Set<string>();
  let parent = '';
  const show = (): void => {
    picker.title = titleOf(counted, parent);
    picker.value = '';
    const directories = childrenOf(counted, parent).map((directory): Choice => ({
      label: `$(${isHere(directory) ? 'files' : 'folder'}) ${escapeIcons(nameOf(directory))}`,
      description: escapeIcons(sayDirectory(counted, directory) + (ignored.has(directory.path) ? ' · now in .gitignore' : '')),
      buttons: isHere(directory) || ignored.has(directory.path) ? [] : [ignoreButton],
      directory,
    }));
    picker.items = parent === '' ? directories : [upwards, ...directories];
  };
  picker.placeholder = 'Open a directory, or add it to .gitignore.';
  picker.onDidAccept(() => {
    const [chosen] = picker.selectedItems;
    if (chosen !== undefined && (chosen.directory === undefined || !isHere(chosen.directory))) {
      parent = chosen.directory?.path ?? parentOf(parent);
      show();
    }
  });
  picker.onDidTriggerItemButton(({ item }) => {
    if (item.directory !== undefined) {
      const { path } = item.directory;
      ignore(server, path).then(() => { ignored.add(path); show(); }, (error: unknown) => {
        void vscode.window.showErrorMessage(forMessage(sentenceOf(error)));
      });
    }
  });
  picker.onDidHide(() => picker.dispose());
  show();
  picker.show();
}

/** Has git ignore a directory. The editor makes the change, which counts once it is saved. */
async function ignore(server: Server, path: string): Promise<void> {
  const { uri } = (await server.execute(serverCommands.ignore, { path })) as Done;
  await (await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true))).save();
}
