import type { EdgeKind } from '../../../backends/graph/port.ts';
import type { FactList } from './fact-list.ts';
import { pathName, pullName, symbolName } from './keys.ts';

/** A text of a unit. */
export interface TextField {
  /** Place of the mention: `message`, `body`, `comment 3f2a`. */
  readonly field: string;
  readonly text: string;
}

export interface ReferenceOptions {
  /** Names of the unit itself, which are not links. */
  readonly except?: readonly string[];
  /** Look for paths and identifiers in backquotes. Default: false. */
  readonly code?: boolean;
  /** Look for stack frames. Default: false. */
  readonly frames?: boolean;
}

/** Maximum number of references that are kept of a unit, and of characters that are read of a field. */
const max = { references: 500, text: 200_000, frames: 60, segments: 12 } as const;

/** An identifier of an issue. `UTF-8` looks like one too: it becomes an edge only if such an issue is mirrored. */
const identifier = /(?<![A-Za-z0-9_-])([A-Z][A-Z0-9]{0,9}-\d{1,6})(?![\w]|-\d)/g;
const closing = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|complete[sd]?|implement(?:s|ed)?)[:\s]{1,3}$/i;
/** The subject that Git gives a commit that reverts another one, whose subject it quotes. */
const revert = /^Revert "/;
const pullAddress =
  /https?:\/\/([\w.-]{1,200}(?::\d{1,5})?\/[\w./-]{1,300}?)\/(?:-\/)?(?:pull|pulls|pull-requests|merge_requests)\/(\d{1,9})/g;
const quoted = /`([^`\n]{2,200})`/g;
const pathLike = /^(?:\.?\/)?((?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.\w{1,10})(?::\d+)*$/;
/** Two words or more: single words mean too many things. */
const nameLike =
  // bounded: at most 200 characters (a quoted text is cut by its pattern)
  /^((?=\w*[a-z_]\w*[A-Z]|\w*[A-Za-z0-9]_+[A-Za-z0-9]|[A-Z]+[a-z]+[A-Z])[A-Za-z_]\w{5,100})(?:\(\))?$/;

/** Adds the links that texts of a unit contain, from the node `from`. */
export function addReferences(
  facts: FactList,
  from: string,
  fields: readonly TextField[],
  { except = [], code = false, frames = false }: ReferenceOptions = {},
): void {
  const seen = new Set<string>(except);
  const add = (kind: EdgeKind, name: string, rule: string, evidence: string, confidence: number): void => {
    const id = `${kind} ${name}`;
    if (seen.has(name) || seen.has(id) || seen.size > max.references) return;
    seen.add(id);
    facts.mention(from, kind, name, { rule, evidence, confidence });
  };
  for (const { field, text: whole } of fields) {
    const text = whole.slice(0, max.text);
    const span = (match: RegExpExecArray): string =>
      `${field} ${match.index}-${match.index + match[0].length}`;
    for (const match of text.matchAll(identifier)) addIdentifier(match, field, span(match), add);
    for (const match of text.matchAll(pullAddress))
      add('mentions', pullName(match[1] ?? '', match[2] ?? ''), 'pull-url', span(match), 100);
    if (code) for (const match of text.matchAll(quoted)) addQuoted(match[1] ?? '', span(match), add);
    if (frames) addFrames(text, field, add);
  }
}

function addIdentifier(match: RegExpExecArray, field: string, evidence: string, add: Add): void {
  const { 1: name = '', index, input } = match;
  const isQuoted = field === 'title' && revert.test(input);
  const closes = !isQuoted && closing.test(input.slice(Math.max(0, index - 20), index));
  if (closes) add('closes', name, 'closing-verb', evidence, 100);
  else add('mentions', name, 'identifier', evidence, field === 'title' ? 90 : 60);
}

type Add = (kind: EdgeKind, name: string, rule: string, evidence: string, confidence: number) => void;

function addQuoted(content: string, evidence: string, add: Add): void {
  const path = pathLike.exec(content)?.[1];
  if (path !== undefined) add('mentions', pathName(path), 'quoted-path', evidence, 80);
  const name = nameLike.exec(content)?.[1];
  if (name !== undefined) add('mentions', symbolName(name), 'quoted-name', evidence, 80);
}

/** A place in a file, as JavaScript, Go, Rust and others print it; as Python does; as the JVM does. */
const placeFrame = /(?:^|[\s("'`@])([\w@.+/\\:-]{1,300}\.[A-Za-z]{1,6}):(\d{1,7})/gm;
const pythonFrame = /File "([^"\n]{1,300})", line (\d{1,7})/g;
const jvmFrame = /\bat ([\w$.]{1,200})\.[\w$<>]{1,100}\(([\w$]{1,100}\.[a-z]{1,6}):(\d{1,7})\)/g;

function addFrames(text: string, field: string, add: Add): void {
  const frames: (readonly [path: string, line: string])[] = [];
  for (const [, path = '', line = ''] of text.matchAll(pythonFrame)) frames.push([path, line]);
  for (const [, type = '', file = '', line = ''] of text.matchAll(jvmFrame))
    frames.push([[...type.split('.').slice(0, -1), file].join('/'), line]);
  for (const [, path = '', line = ''] of text.matchAll(placeFrame)) frames.push([path, line]);
  for (const [path, line] of frames.slice(0, max.frames)) {
    for (const suffix of suffixesOf(path)) {
      const length = suffix.split('/').length;
      const confidence = length === 1 ? 50 : 95;
      add('fails_in', pathName(suffix), 'stack-frame', `${field} ${path}:${line}`, confidence);
    }
  }
}

/** Returns the ends of a path, whole names only, the longest first. */
export function suffixesOf(path: string): readonly string[] {
  const names = path
    .replace(/^[A-Za-z]+:(?:\/\/)?/, '')
    .split(/[\\/]/)
    .filter((name) => name !== '' && name !== '.' && name !== '..')
    .slice(-max.segments);
  return names.map((_, index) => names.slice(index).join('/'));
}
