import type { Code, Language } from '../language.ts';
import { tableOf } from '../manifests/values.ts';
import { python } from './python.ts';

const { interpreters: _, lexical: _lexical, ...base } = python;

/** Notebooks, whose cells are read as one module. */
export const notebook: Language = {
  ...base,
  name: 'Jupyter Notebook',
  endings: 'ipynb',
  codeIn: codeOfNotebook,
};

/** A text of a notebook, or a line of its code. */
interface Line {
  text: string;
  /** The line of the file; 1-based. */
  line: number;
}

/** Returns the cells of code in Python; nothing if the notebook is in another language. */
function codeOfNotebook(json: string): Code {
  const { cells, metadata } = tableOf(textsWithLines(json));
  const { language_info: info, kernelspec: kernel } = tableOf(metadata);
  const language = textsOf(tableOf(info)['name'])[0] ?? textsOf(tableOf(kernel)['language'])[0];
  const isPython = language === undefined || /^i?python/i.test(language.text);
  const code = (isPython && Array.isArray(cells) ? cells : [])
    .map(tableOf)
    .flatMap(({ cell_type, source }) => {
      const [kind] = textsOf(cell_type);
      return kind?.text === 'code' ? withoutCommands(linesOf(textsOf(source))) : [];
    });
  return { text: code.map(({ text }) => text).join('\n'), lines: code.map(({ line }) => line) };
}

/** Matches a text in JSON, whose group is its colon if it is a key, or the end of a line. */
const textOrLineEnd = /"(?:[^"\\]+|\\[^])*"?(?=(\s*:)?)|\n/g;

/** Parses JSON, and replaces each text but keys by one with its line; `undefined` for what is no JSON. */
function textsWithLines(json: string): unknown {
  let line = 1;
  // Each line is written into the JSON, because parsing tells neither lines nor the order of keys.
  const placed = json.replaceAll(textOrLineEnd, (written: string, colon?: string) => {
    if (written === '\n') line++;
    return written === '\n' || colon !== undefined ? written : `{"text":${written},"line":${line}}`;
  });
  try {
    return JSON.parse(placed);
  } catch {
    return undefined;
  }
}

/** Returns a text, or those of a list. */
function textsOf(value: unknown): readonly Line[] {
  const all: readonly Partial<Line>[] = Array.isArray(value) ? value.map(tableOf) : [tableOf(value)];
  return all.filter((each): each is Line => typeof each.text === 'string');
}

/** Returns the lines of a cell. Each part of its source begins where the last line of the part before ended. */
function linesOf(parts: readonly Line[]): readonly Line[] {
  const lines: Line[] = [];
  for (const { text: part, line } of parts) {
    const [first = '', ...others] = part.split('\n');
    const last = lines.at(-1);
    if (last?.text === '') lines.pop();
    if (last === undefined || last.text === '') lines.push({ text: first, line });
    else last.text += first;
    for (const text of others) lines.push({ text, line });
  }
  return lines;
}

/** Replaces the commands of the notebook and the shell, which are no Python. A cell may be one command. */
function withoutCommands(cell: readonly Line[]): readonly Line[] {
  if (/^%%(?!time|capture)/.test(cell[0]?.text ?? '')) return [];
  return cell.map(({ text, line }) => ({ text: text.replace(/^%.*|^([ \t]*)!.*/, '$1pass'), line }));
}
