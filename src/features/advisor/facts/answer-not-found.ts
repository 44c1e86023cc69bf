import type { Statements } from '../answer/statements.ts';
import { inlineCode } from '../text/markdown.ts';
import type { Inquiry } from './inquiry.ts';

const max = { repositories: 8, words: 8, sources: 3 } as const;

/** Says that nothing answers the question, what was searched for where, and what comes closest. */
export async function answerNotFound(inquiry: Inquiry, absent: readonly string[]): Promise<Statements> {
  const { ranked, code, named } = inquiry;
  const { identifiers, paths, phrases, terms } = ranked.subject;
  const names = ranked.repositories.map(({ name }) => inlineCode(name));
  const more = names.length > max.repositories ? ` and ${names.length - max.repositories} more` : '';
  const searched = `${names.slice(0, max.repositories).join(', ')}${more}`;
  const all = [...identifiers, ...paths, ...phrases, ...terms, ...named.unknown];
  if (all.length === 0) {
    const lead = `The prompt contains nothing to search for. Ask about a feature, a file, a name or an error message. Searchable: ${searched}.`;
    return { lead: [[lead]], reasons: [], sources: [], notes: [] };
  }
  const issues = named.unknown.map(inlineCode);
  const words = [...new Set([...absent, ...ranked.unmatched])];
  const missing = (words.length > 0 ? words : code.length === 0 ? [...new Set(all)] : [])
    .filter((word) => !named.unknown.includes(word))
    .slice(0, max.words)
    .map(inlineCode);
  const sentences = [
    'Not found.',
    issues.length === 0 ? '' : `No issue ${issues.join(', ')} is mirrored in this organization.`,
    missing.length === 0 ? '' : `Nothing indexed mentions ${missing.join(', ')}.`,
    `Searched: ${searched}.`,
  ].filter(Boolean);
  const sources = code.slice(0, max.sources);
  return {
    lead: [[sentences.join(' ')]],
    isNotFound: true,
    reasons: [],
    sources,
    notes:
      sources.length > 0
        ? ['The closest passages share only other words of the question.']
        : [
            'Try other words for the same thing. The tool `search_code` and the command `orgctx search` find exact text, patterns and paths.',
          ],
  };
}
