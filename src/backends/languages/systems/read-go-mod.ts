import type { ReadManifest } from '../manifests/manifest.ts';
import { lineReader, numberedLines } from '../manifests/numbered-lines.ts';
import type { ModuleRoot } from '../modules/module-roots.ts';
import { folderOf, joinPath } from '../modules/paths.ts';

// bounded: at most 1,000 characters (lines are cut)
const ownName = /^\s*module\s+"?([^\s"]+)/;
// bounded: at most 1,000 characters (lines are cut)
const asked = /^\s*(?:require\s+)?([\w.~-]+(?:\/[\w.~-]+)+)\s+(v\d\S*)/;

const readLines = lineReader(ownName, asked);

// bounded: at most 1,000 characters (lines are cut)
const replaced = /^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\.{1,2}(?:\/\S*)?)/;

/** Reads `go.mod` or `go.work`. A module of a path is replaced for the files around which that stands. */
export const readGoMod: ReadManifest = (text, path) => {
  const { provides, asks } = readLines(text, path);
  const folder = folderOf(path);
  const roots = numberedLines(text).flatMap(({ text: line }) => {
    const [, name, place] = (line.includes('=>') && replaced.exec(line)) || [];
    return name === undefined || place === undefined ? [] : rootsOf(name, folder, joinPath(folder, place));
  });
  return {
    provides,
    asks,
    roots: [...(provides === undefined ? [] : rootsOf(provides, '', folder)), ...roots],
  };
};

/** Returns the roots of a module: its own package, and those in it. */
function rootsOf(name: string, within: string, folder: string): readonly ModuleRoot[] {
  // The standard library has the module `std`, and imports without it.
  if (name === 'std') return [{ kind: 'go', within, name: '*', folder, places: ['*'] }];
  return [
    { kind: 'go', within, name, folder, places: [''] },
    { kind: 'go', within, name: `${name}/*`, folder, places: ['*'] },
  ];
}
