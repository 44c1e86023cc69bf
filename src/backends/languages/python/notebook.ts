import type { Code, Language } from '../language.ts';
import { python } from './python.ts';

const { interpreters: _, lexical: _lexical, ...base } = python;

/** Notebooks, whose cells are read as one module. */
export const notebook: Language = {
  ...base,
  name: 'Jupyter Notebook',
  endings: 'ipynb',
  codeIn: codeOfNotebook,
};

interface Line {
  text: string;
  /** The line of the file; 1-based. */
  line: number;
}

/** Returns the cells of code in Python; nothing if the notebook is in another language. */
function codeOfNotebook(json: string): Code {
  const lines: Line[] = [];
  let kind = '';
  let cell: Line[] = [];
  let language = 'python';
  for (const { path, written, line } of partsOf(json)) {
    if (path === 'cells/-') {
      if (kind === 'code') lines.push(...withoutCommands(cell));
      kind = '';
      cell = [];
    } else if (path === 'cells/-/cell_type') kind = decoded(written);
    else if (path === 'cells/-/source' || path === 'cells/-/source/-') append(cell, decoded(written), line);
    else if (path === 'metadata/language_info/name' || path === 'metadata/kernelspec/language')
      language = decoded(written).toLowerCase();
  }
  const code = /^i?python/.test(language) ? lines : [];
  return { text: code.map(({ text }) => text).join('\n'), lines: code.map(({ line }) => line) };
}

/** Adds a part of the source of a cell: it begins where the last line of the part before ended. */
function append(cell: Line[], part: string, line: number): void {
  const [first = '', ...others] = part.split('\n');
  const last = cell.at(-1);
  if (last === undefined) cell.push({ text: first, line });
  else if (last.text === '') Object.assign(last, { text: first, line });
  else last.text += first;
  for (const text of others) cell.push({ text, line });
}

/** Replaces the commands of the notebook and the shell, which are no Python. A cell may be one command. */
function withoutCommands(cell: readonly Line[]): readonly Line[] {
  if (/^%%(?!time|capture)/.test(cell[0]?.text ?? '')) return [];
  return cell.map(({ text, line }) => ({ text: text.replace(/^%.*|^([ \t]*)!.*/, '$1pass'), line }));
}

function decoded(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    return '';
  }
}

interface Part {
  /** The keys around it, `-` in a list; only as deep as the cells of a notebook are. */
  readonly path: string;
  /** A text in quotes; empty at the end of an object. */
  readonly written: string;
  readonly line: number;
}

const maxDepth = 4;

/** A text in quotes, or what separates texts. */
const jsonToken = /"(?:[^"\\]+|\\[^])*"?|[[\]{},\n]/g;

/** Yields the texts and the ends of objects in JSON, each with its line. Parsing would not tell the lines. */
function* partsOf(json: string): Generator<Part, void> {
  /** The key at each level, `-` in a list. */
  const keys: string[] = [];
  let line = 1;
  let isKey = false;
  for (const [written] of json.matchAll(jsonToken)) {
    if (written === '\n') line++;
    else if (written === '[' || written === '{') {
      keys.push(written === '[' ? '-' : '');
      isKey = written === '{';
    } else if (written === ']') keys.pop();
    else if (written === '}') {
      keys.pop();
      if (keys.length <= maxDepth) yield { path: keys.join('/'), written: '', line };
    } else if (written === ',') isKey = keys.at(-1) !== '-';
    else {
      if (isKey) keys[keys.length - 1] = written.slice(1, 30).replace(/"$/, '');
      else if (keys.length <= maxDepth) yield { path: keys.join('/'), written, line };
      isKey = false;
    }
  }
}
