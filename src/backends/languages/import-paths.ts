import type { ImportedPath } from './outline.ts';

/** Maximum number of names of one statement. */
const maxNames = 500;

const comments = /\/\/.*|\/\*(?:[^]*?\*\/|[^]*)/g;
/** The words before a path, which say what is imported. */
const words = /^(?:(?:import|use|static|function|const)\s+)+/;
const nameAlone = /^[\p{L}\p{N}_$#]+$/u;

/**
 * Reads the paths of an import, of which one may follow another: `a.b.C`, `a.b.{c, d as e, f => g}`, `a.b.*`. `joint`
 * is between the parts of a path.
 */
export function readImportPaths(text: string, joint: string): readonly ImportedPath[] {
  const found: ImportedPath[] = [];
  const read = (written: string, prefix: string): void => {
    for (const each of splitTopLevel(written)) {
      const path = prefix + each.replace(words, '');
      const brace = path.indexOf('{');
      if (brace >= 0) read(path.slice(brace + 1, path.lastIndexOf('}')), path.slice(0, brace));
      else if (found.length < maxNames) found.push(...readPath(path, joint));
    }
  };
  read(text.replaceAll(comments, '').replaceAll(/[;`]/g, ''), '');
  return found;
}

/** Reads one path. Its last part may be `self` for the module itself, and the name in the file `_` for none. */
function readPath(written: string, joint: string): readonly ImportedPath[] {
  const [path = '', alias] = written.split(/\sas\s|=>/i).map((each) => each.trim());
  const parts = path.split(joint).map((part) => part.trim());
  const name = parts.pop()!;
  // A path from the root begins with a joint.
  if (parts[0] === '') parts.shift();
  const source = parts.join(joint);
  if (!parts.every((part) => nameAlone.test(part))) return [];
  if (name === '*' || name === '_') return [{ source, name: '*', local: undefined }];
  if (!nameAlone.test(name)) return [];
  if (name === 'self') return [{ source, name: undefined, local: alias ?? parts.at(-1) }];
  return [{ source, name, local: alias === '_' ? undefined : (alias ?? name) }];
}

/** Splits at commas outside of braces. */
function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const letter = text[at];
    if (letter === '{') depth++;
    else if (letter === '}') depth--;
    else if (at === text.length || (letter === ',' && depth === 0)) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts.filter((part) => part !== '');
}
