import { languageOf } from '../../../src/backends/codesearch/port.ts';
import { findDefinitions } from '../../support/languages/find-definitions.ts';
import type { CorpusFile } from './corpus.ts';
import { git } from './git.ts';
import type { Query } from './queries.ts';

/** A definition whose lines a change edited. */
export interface TouchedDefinition {
  readonly path: string;
  /** The line of its name. 1-based. */
  readonly line: number;
  readonly lastLine: number;
}

/** Returns the innermost definitions that contain the changed lines of a query's files, in the parent's lines. */
export async function touchedDefinitions(
  gitDir: string,
  { id, parent, files }: Query,
  corpus: readonly CorpusFile[],
): Promise<TouchedDefinition[]> {
  const found = await Promise.all(
    files.map(async (path) => {
      const text = corpus.find((file) => file.path === path)?.text;
      if (text === undefined) return [];
      const definitions = await definitionsOf(path, text);
      const touched = new Set(
        changedLines(gitDir, parent, id, path).flatMap(
          (line) => definitions.findLast((one) => one.line <= line && line <= one.lastLine) ?? [],
        ),
      );
      return [...touched].map((definition) => ({ path, ...definition }));
    }),
  );
  return found.flat();
}

function changedLines(gitDir: string, parent: string, id: string, path: string): number[] {
  const diff = git(gitDir, ['diff', '-U0', parent, id, '--', path]);
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? /gm)].flatMap(([, start, count]) =>
    Array.from({ length: Math.max(1, Number(count ?? 1)) }, (_, line) => Number(start) + line),
  );
}

/** Returns the functions, methods and types of a text with their extents, judged by indentation. */
async function definitionsOf(path: string, text: string): Promise<{ line: number; lastLine: number }[]> {
  const lines = text.split('\n');
  const kinds = new Set(['function', 'method', 'class', 'interface', 'struct', 'enum', 'type']);
  return (await findDefinitions(languageOf(path), text))
    .filter(({ kind }) => kinds.has(kind))
    .map(({ line }) => {
      const indent = indentOf(lines[line - 1] ?? '');
      let lastLine = line;
      for (let next = line + 1; next <= lines.length; next++) {
        const one = lines[next - 1] ?? '';
        if (one.trim() === '') continue;
        const closes = /^\s*[)}\]]/.test(one) || /^\s*end\b/.test(one);
        if (indentOf(one) < indent || (indentOf(one) === indent && !closes)) break;
        lastLine = next;
      }
      return { line, lastLine };
    });
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
