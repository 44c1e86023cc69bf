import type { GraphNode } from '../../../backends/graph/port.ts';
import { showImpact } from '../../knowledge/queries/show-impact.ts';
import { joined, quoted, type Sentence, type Statements } from '../answer/statements.ts';
import { asksForText } from '../question/usage.ts';
import { productFirst } from './answer-callers.ts';
import { asksForValue } from './definitions/answer-value.ts';
import { type Inquiry, maxPassages, nodePlace, placeText } from './inquiry.ts';
import { enclosing } from './targets/enclosing.ts';
import { isTestPath } from './test-path.ts';
import { findText, type TextSource } from './text-uses.ts';
import { findMessage } from './traces/find-message.ts';
import { isRaising, statementAt } from './traces/raising-line.ts';
import { stateMessage } from './traces/state-message.ts';
import { findUses } from './uses/find-uses.ts';

const max = { places: 4, callers: 3, phrases: 3 } as const;

/** Words that can stand for a text that another sentence quotes. */
const refersBack = /\b(?:it|this|that|these|triggers?|causes?|mean|raised|thrown)\b/iu;

/**
 * Answers where a quoted text comes from. An error message is answered by the line that raises it, also if the question
 * only refers to it, and if the code has its variable parts otherwise. Another text is answered by its place, the
 * function around it and its callers, unless the question asks how something works: then it is a command or a name.
 */
export async function answerPhrase(inquiry: Inquiry): Promise<Statements | undefined> {
  const { ranked, asked, kind } = inquiry;
  if (asksForValue.test(asked)) return undefined;
  const { phrases } = ranked.subject;
  const meant = phrases.filter(
    (one) => asked.includes(one) || refersBack.test(asked) || asksForText.test(asked),
  );
  for (const phrase of meant.slice(0, max.phrases)) {
    const hit = await findMessage(inquiry, phrase);
    if (hit !== undefined && (await isRaised(inquiry, hit))) return stateMessage(inquiry, hit);
  }
  const isWanted = kind !== 'how' || asksForText.test(asked);
  const text = phrases.find(
    (phrase) => isWanted && asked.includes(phrase) && !ranked.unmatched.includes(phrase),
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

/** Returns whether the statement of a line raises an error. */
async function isRaised(
  { deps, scope, signal }: Inquiry,
  { repositoryId, path, line }: TextSource,
): Promise<boolean> {
  const file = await deps.sources.readFile(scope, { repository: repositoryId, path }, signal);
  const at = statementAt(file?.content?.split(/\r?\n/u) ?? [], line);
  return at !== undefined && isRaising(at.text);
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
