import { listed } from '../../../foundation/kernel/text/listed.ts';
import { joined, type Sentence, type Statements } from '../answer/statements.ts';
import { inlineCode } from '../text/markdown.ts';
import { stemsOf } from '../text/split-words.ts';
import { type Coverage, elsewhere, nothingMentions } from './absent-terms.ts';
import { chooseDefinition } from './definitions/choose-definition.ts';
import { definitionSource } from './definitions/definition-source.ts';
import { measureFit } from './definitions/measure-fit.ts';
import { type Inquiry, placeText } from './inquiry.ts';

const max = { repositories: 8, words: 8, sources: 3 } as const;
const onlyOtherWords = 'The closest passages share only other words of the question.';
const tryOtherWords =
  'Try other words for the same thing. The tool `search_code` and the command `orgctx search` find exact text, patterns and paths.';
/** The share of the words of a question from which a definition with one of them in its name is worth a look. */
const nearCoverage = 0.3;

/** Says that nothing answers the question, what was searched for where, and what comes closest. */
export async function answerNotFound(
  inquiry: Inquiry,
  { content, absent }: Coverage = { content: [], absent: [] },
): Promise<Statements> {
  const { ranked, code, named } = inquiry;
  const { identifiers, paths, phrases, terms } = ranked.subject;
  const names = ranked.searched.map(({ name }) => inlineCode(name));
  const searched = listed(names, max.repositories);
  const all = [...identifiers, ...paths, ...phrases, ...terms, ...named.unknown];
  if (all.length === 0) {
    const lead = `The prompt contains nothing to search for. Ask about a feature, a file, a name or an error message. Searchable: ${searched}.`;
    return { lead: [[lead]], reasons: [], sources: [], notes: [] };
  }
  const issues = named.unknown.map(inlineCode);
  const words = [...new Set([...absent, ...ranked.unmatched])];
  const missing = (words.length > 0 ? words : code.length === 0 ? [...new Set(all)] : [])
    .filter((word) => !named.unknown.includes(word))
    .slice(0, max.words);
  const isNamed = ranked.searched.length < ranked.repositories.length;
  const sentences = [
    isNamed ? `Not found in ${searched}.` : 'Not found.',
    issues.length === 0 ? '' : `No issue ${issues.join(', ')} is mirrored in this organization.`,
    missing.length === 0 ? '' : nothingMentions(inquiry, missing),
    isNamed ? `Searched: only ${searched}, which the question names.` : `Searched: ${searched}.`,
  ].filter(Boolean);
  const nearest = await nearestTo(inquiry, content, absent);
  const sources = nearest === undefined ? code.slice(0, max.sources) : [];
  return {
    lead: [[sentences.join(' ')]],
    isNotFound: true,
    reasons: [...(nearest === undefined ? [] : [nearest]), ...(await elsewhereOf(inquiry, absent))],
    sources,
    notes: nearest === undefined ? [sources.length > 0 ? onlyOtherWords : tryOtherWords] : [],
  };
}

/** Says which other repositories mention what is absent from those that the question names. */
async function elsewhereOf(inquiry: Inquiry, absent: readonly string[]): Promise<readonly Sentence[]> {
  const { words, names } = await elsewhere(inquiry, absent);
  if (names.length === 0) return [];
  const shown = names.slice(0, max.sources).map((name): Sentence => [inlineCode(name)]);
  return [
    [
      'Elsewhere, the code of ',
      ...joined(shown, names.length),
      ` mentions ${words.map(inlineCode).join(', ')}.`,
    ],
  ];
}

/** Names the definition whose name has a word of the question that exists; `undefined` if there is none. */
async function nearestTo(
  inquiry: Inquiry,
  content: readonly string[],
  absent: readonly string[],
): Promise<Sentence | undefined> {
  const present = content.filter((word) => !absent.includes(word));
  const wanted = new Set(present.flatMap(stemsOf));
  if (absent.length === 0 || wanted.size === 0) return undefined;
  const { best } = await chooseDefinition(inquiry);
  const near = best
    .slice(0, max.sources)
    .find(
      (one) =>
        measureFit(one, content).share >= nearCoverage &&
        stemsOf(one.definition.name).some((word) => wanted.has(word)),
    );
  const source = near === undefined ? undefined : await definitionSource(inquiry, near);
  if (source === undefined) return undefined;
  const { name, container, line } = source.definition;
  const shown = inlineCode(container === undefined ? name : `${container}.${name}`);
  return [`The nearest by name is ${shown}, at ${placeText(inquiry, { ...source, line })}`, source, '.'];
}
