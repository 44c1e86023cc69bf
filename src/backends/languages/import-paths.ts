import type { ImportedPath } from './outline.ts';

/** Maximum number of paths of one statement. */
const maxPaths = 500;
/** Maximum length of a path, in characters: what several paths follow is read for each of them. */
const maxLength = 1_000;
/** Maximum depth of a statement, which is 1 outside of braces. */
const maxDepth = 16;

const comments = /\/\/.*|\/\*(?:[^]*?\*\/|[^]*)/g;
/** The words before a path, which say what is imported, unless one is the name itself: `function as f`. */
const words = /^(?:(?:import|use|static|function|const)\s+(?!\s|as\s|=>))+/;
const nameAlone = /^[\p{L}\p{N}_$#]+$/u;
/** Matches a part of a statement and what ends it. Nothing is read between a closing brace and the next part. */
const partAndEnd = /([^{},]*)(\{|,[\s,]*|\}[^{},]*|$)/g;

/**
 * Reads the paths of an import, of which one may follow another: `a.b.C`, `a.b.{c, d as e, f => g}`, `a.b.*`. `joint`
 * is between the parts of a path.
 */
export function readImportPaths(text: string, joint: string): readonly ImportedPath[] {
  const code = text.replaceAll(comments, '').replaceAll(/[;`]/g, '');
  const paths: string[] = [];
  /** The beginning of the paths at each depth of braces. */
  const prefixes = [''];
  for (const [, written = '', end = ''] of code.matchAll(partAndEnd)) {
    const part = written.trimStart().replace(words, '').trim();
    const path = `${prefixes.at(-1)}${part}`;
    if (end === '{') prefixes.push(path);
    else if (part !== '' && path.length <= maxLength) paths.push(path);
    if (end.startsWith('}')) prefixes.pop();
    if (paths.length === maxPaths || prefixes.length === 0 || prefixes.length > maxDepth) break;
  }
  return paths.flatMap((path) => readPath(path, joint));
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
