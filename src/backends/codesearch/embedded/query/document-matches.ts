import { isOnNamedBranch } from './branch-scope.ts';
import type { CompiledQuery, ContentAtom } from './compile-query.ts';
import type { DocumentText } from './open-document.ts';
import { definesMatch } from './symbol-matches.ts';
import { searchablePath } from './text/searchable-text.ts';

/** Returns whether the document matches the query, by reading its bytes. */
export function documentMatches(query: CompiledQuery, text: DocumentText): boolean {
  const { documents } = text.live.segment;
  switch (query.kind) {
    case 'and':
      return query.operands.every((operand) => documentMatches(operand, text));
    case 'or':
      return query.operands.some((operand) => documentMatches(operand, text));
    case 'not':
      return !documentMatches(query.operand, text);
    case 'content':
      return contentMatches(query, text);
    case 'path':
      return query.matcher.holds(searchablePath(text.live.path(text.document)));
    case 'symbol':
      return definesMatch(text.live.symbols.table, text.document, query);
    case 'repository':
      return text.live.repositoryName.toLowerCase().includes(query.text);
    case 'branch':
      return isOnNamedBranch(query, text.live, text.document);
    case 'language':
      return documents.language(text.document).toLowerCase() === query.text;
  }
}

function contentMatches(atom: ContentAtom, text: DocumentText): boolean {
  for (const unit of text.unitsOf(atom)) {
    if (atom.matcher.holds(text.unit(unit, atom))) return true;
  }
  return false;
}
