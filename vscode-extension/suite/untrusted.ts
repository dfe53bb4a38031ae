// In an untrusted workspace.
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { servers } from './agent';
import * as suite from './run';

export const run = (): Promise<void> =>
  suite.run({
    'the workspace is not trusted': () => assert.equal(vscode.workspace.isTrusted, false),
    'the extension is not there': () => assert.equal(vscode.extensions.getExtension('ctxledger.ctxledger'), undefined),
    'its commands are not there': async () => {
      await assert.rejects(Promise.resolve(vscode.commands.executeCommand('ctxledger.restartServer')));
    },
    'no server was started, not even by a document': async () => {
      await vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, 'README.md'));
      assert.deepEqual(servers(), []);
    },
  });
