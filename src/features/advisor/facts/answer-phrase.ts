import type { GraphNode } from '../../../backends/graph/port.ts';
import { showImpact } from '../../knowledge/queries/show-impact.ts';
import { joined, quoted, type Sentence, type Statements } from '../answer/statements.ts';
import { productFirst } from './answer-callers.ts';
import { asksForValue } from './definitions/answer-value.ts';
import { type Inquiry, maxPassages, nodePlace, placeText } from './inquiry.ts';
import { enclosing } from './targets/enclosing.ts';
import { isTestPath } from './test-path.ts';
import { findText, type TextSource } from './text-uses.ts';
import { findUses } from './uses/find-uses.ts';

const max = { places: 4, callers: 3 } as const;

/**
 * Answers where a quoted text, such as an error message, comes from: its place, the function around it, its callers.
 */
export async function answerPhrase(inquiry: Inquiry): Promise<Statements | undefined> {
  const { ranked, asked } = inquiry;
  if (asksForValue.test(asked)) return undefined;
  // A quotation that the prompt only tells besides is not what it asks for.
  const text = ranked.subject.phrases.find(
    (phrase) => asked.includes(phrase) && !ranked.unmatched.includes(phrase),
  );
  if (text === undefined) return undefined;
  const repositories = ranked.named.length > 0 ? ranked.named : ranked.repositories;
  const [best, ...others] = await findText(inquiry, { text, caseSensitive: false, repositories, around: 6 });
  if (best === undefined) return undefined;
  const around = await enclosing(inquiry, best);
  const where = around === undefined ? '' : ` in ${nodePlace(inquiry, around)}`;
  return {
    lead: [[`The text ${quoted(text, 120)} is at ${placeOf(inquiry, best)}${where}`, best, '.']],
    reasons: [
      ...(around === undefined ? [] : await callersOf(inquiry, around)),
      ...(others.length === 0
        ? []
        : [
            [
              'It is also at ',
              ...joined(
                others.slice(0, max.places).map((source): Sentence => [placeOf(inquiry, source), source]),
                others.length,
              ),
              '.',
            ],
          ]),
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

function placeOf(inquiry: Inquiry, { repository, path, line }: TextSource): string {
  return placeText(inquiry, { repository, path, line });
}

async function callersOf(inquiry: Inquiry, node: GraphNode): Promise<Sentence[]> {
  const { dependents } = await showImpact(inquiry.view.graph, inquiry.scope, node.key);
  const uses = productFirst(dependents.filter(({ node: other }) => other.kind === 'symbol'));
  if (uses.length === 0) return usesOf(inquiry, node);
  const shown = uses.slice(0, max.callers).map((use): Sentence => [nodePlace(inquiry, use.node)]);
  return [['That is called by ', ...joined(shown, uses.length), '.']];
}

/** Says where a constant that holds the text is read: the graph knows calls, and a text is not called. */
async function usesOf(inquiry: Inquiry, { name, props }: GraphNode): Promise<Sentence[]> {
  if (props['kind'] !== 'constant' && props['kind'] !== 'variable') return [];
  const found = await findUses(inquiry, name);
  const read = found.filter(({ kinds, source }) => kinds.has('read') && !isTestPath(source.path));
  if (read.length === 0) return [];
  const shown = read.slice(0, max.callers).map(({ source }): Sentence => [placeOf(inquiry, source), source]);
  return [['That is used at ', ...joined(shown, read.length), '.']];
}
