// Where the programs of ctxledger are. Nothing is ever downloaded.
import * as path from 'node:path';

/** What the search depends on. */
export interface Places {
  /** The setting ctxledger.server.path; '' when it is not set. */
  readonly setting: string;
  /** The folder of the extension, whose bin/ may hold the programs. */
  readonly extension: string;
  /** The variable PATH. */
  readonly path: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Whether a file is there and may be run. */
  readonly runs: (file: string) => boolean;
}

/** Returns the language server: what the setting names and nothing else, or that of the extension, or one on PATH. */
export function findServer(places: Places): string | undefined {
  if (places.setting !== '') {
    const named = expandHome(places);
    return flavour(places).isAbsolute(named) && places.runs(named) ? named : undefined;
  }
  return first(places, [inExtension(places), ...onPath(places)], 'ctxlsp');
}

/** Returns the command line: the one in the directory of the server, or that of the extension, or one on PATH. */
export function findCommand(places: Places, server: string | undefined): string | undefined {
  const beside = server === undefined ? [] : [flavour(places).dirname(server)];
  return first(places, [...beside, inExtension(places), ...onPath(places)], 'ctxledger');
}

/** Returns the folder of the programs that came with the extension, if they did. */
export function bundled(places: Places): string | undefined {
  return first(places, [inExtension(places)], 'ctxledger') && inExtension(places);
}

function first(places: Places, folders: readonly string[], name: string): string | undefined {
  const file = places.platform === 'win32' ? `${name}.exe` : name;
  return folders.map((folder) => flavour(places).join(folder, file)).find(places.runs);
}

function inExtension(places: Places): string {
  return flavour(places).join(places.extension, 'bin');
}

/** A relative folder on PATH is resolved in the workspace: programs there are not run. */
function onPath(places: Places): string[] {
  const { delimiter, isAbsolute } = flavour(places);
  return places.path.split(delimiter).filter((folder) => isAbsolute(folder));
}

function expandHome(places: Places): string {
  return /^~[/\\]/.test(places.setting) ? flavour(places).join(places.home, places.setting.slice(2)) : places.setting;
}

function flavour(places: Places): path.PlatformPath {
  return places.platform === 'win32' ? path.win32 : path.posix;
}
