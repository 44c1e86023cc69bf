import BetterSqlite3 from 'better-sqlite3';
import type { RankedDefinition } from '../../../src/backends/codesearch/port.ts';
import type { Given } from './score.ts';
import type { SourceFile } from './sources.ts';

const shown = 5;
const functions = /^(?:function|method|macro)$/;
const types = /^(?:class|struct|interface|enum|type|module|other)$/;
const noCandidates = new Set(['test', 'fixture', 'generated']);
const stopWords = new Set(
  'where is a the to how does do in of are for from what that which when there with it its be get gets happens too many work works only one set on'.split(
    ' ',
  ),
);

/**
 * Opens the full-text search of SQLite over the definitions of the files, as the anchor: stems of Porter, the weight 3
 * for name, container and path, and 1 for the own lines. The first five definitions are the answer.
 */
export function openFullText(files: readonly SourceFile[]): (question: string) => Given {
  const database = new BetterSqlite3(':memory:');
  database.exec(`create virtual table definitions using fts5(head, body, tokenize = 'porter unicode61')`);
  const insert = database.prepare('insert into definitions (head, body) values (?, ?)');
  const documents = files.flatMap((file) => (noCandidates.has(file.fileClass) ? [] : documentsOf(file)));
  database.transaction(() => {
    for (const { head, body } of documents) insert.run(spaced(head), spaced(body));
  })();
  const select = database
    .prepare(
      'select rowid from definitions where definitions match ? order by bm25(definitions, 3, 1) limit ?',
    )
    .pluck();
  return (question) => {
    const words =
      spaced(question)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [];
    const terms = [...new Set(words)].filter((word) => word.length > 1 && !stopWords.has(word));
    if (terms.length === 0) return { answer: 'Nothing', citations: [] };
    const rows = select.all(terms.map((term) => `"${term}"`).join(' OR '), shown) as readonly number[];
    return { answer: '', citations: rows.map((row) => documents[row - 1]!.cited) };
  };
}

/** Returns the definitions that are candidates, each with its own lines without those of the candidates inside it. */
function documentsOf({ repository, path, lines, definitions }: SourceFile) {
  const open: RankedDefinition[] = [];
  const kept: RankedDefinition[] = [];
  const owners = new Map<number, RankedDefinition>();
  for (const definition of definitions) {
    while (open.length > 0 && open.at(-1)!.endLine < definition.line) open.pop();
    const outer = open.at(-1);
    if (definition.isTest === true || (outer !== undefined && belongsTo(definition, outer))) continue;
    open.push(definition);
    kept.push(definition);
    for (
      let line = Math.max(definition.startLine, (outer?.line ?? 0) + 1);
      line <= definition.endLine;
      line++
    )
      owners.set(line, definition);
  }
  return kept.map((definition) => {
    const { name, container, startLine, endLine } = definition;
    const own = lines
      .slice(startLine - 1, endLine)
      .filter((_, at) => owners.get(startLine + at) === definition)
      .join('\n');
    const cited = { repository, path, startLine, endLine, title: name, excerpt: own };
    return { head: [name, container?.name ?? '', repository, path].join(' '), body: own, cited };
  });
}

/** Short values and functions in a function, and short members of a type, belong to what contains them. */
function belongsTo({ kind, line, endLine }: RankedDefinition, outer: RankedDefinition): boolean {
  const isValue = !functions.test(kind) && !types.test(kind);
  const isShort = endLine - line < 3;
  return line === outer.line || (functions.test(outer.kind) ? isValue || isShort : isValue && isShort);
}

/** Separates the parts of names: `parseHTTPUrl` becomes `parse HTTP Url`. */
function spaced(text: string): string {
  return text.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
}
