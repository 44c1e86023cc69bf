import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { QuestionKind } from '../question/read-question.ts';
import { absentAnswer, existsAnswer, missingWords } from './absent.ts';
import { changeAnswer } from './changes.ts';
import { commitIdAnswer } from './commit-ids.ts';
import { definitionAnswer } from './definition.ts';
import { impactAnswer } from './impact.ts';
import { messageAnswer } from './message.ts';
import { packagesAnswer } from './packages.ts';
import { peopleAnswer } from './people.ts';
import { incidentAnswer, issueAnswer } from './records.ts';
import { traceAnswer } from './trace.ts';
import { unknownRepositoryAnswer } from './unknown-repository.ts';
import { usesAnswer } from './uses.ts';

/** Answers one kind of question exactly; `undefined` if it has nothing to say, so that passages answer. */
type Answerer = (inquiry: Inquiry) => Promise<Finding | undefined>;

/** Kinds of questions that are answered by saying that no file has what they name, if so. */
const ofAbsentNames: ReadonlySet<QuestionKind> = new Set(['people', 'impact', 'code']);

/**
 * Returns the exact answer of a question, if it has one, and the words of it that are missing. The ways are tried in
 * order: a named incident, in a question about code what is pasted or quoted, else the kind, then what is named.
 */
export async function exactAnswer(
  inquiry: Inquiry,
): Promise<{ readonly finding?: Finding; readonly missing: readonly string[] }> {
  const { question, ranked, named } = inquiry;
  if (ranked.repositories.length === 0) return { missing: [] };
  const { kind, isOfCode, trace, subject, mentions } = question;
  const asksOfPackages = Object.values(question.packages).includes(true);
  const ways: readonly (readonly [isMeant: boolean, way: Answerer])[] = [
    [true, unknownRepositoryAnswer],
    [asksOfPackages, packagesAnswer],
    [named.incidents.length > 0, incidentAnswer],
    [isOfCode && trace !== undefined, traceAnswer],
    [isOfCode && (trace !== undefined || subject.phrases.length > 0), messageAnswer],
    [mentions.commits.length > 0, commitIdAnswer],
    [ofAbsentNames.has(kind), absentAnswer],
    [kind === 'uses', usesAnswer],
    [kind === 'impact', impactAnswer],
    [named.issues.length > 0, issueAnswer],
    [kind === 'people', peopleAnswer],
    [kind === 'change' || named.pulls.length > 0, changeAnswer],
  ];
  for (const [isMeant, way] of ways) {
    const finding = isMeant ? await way(inquiry) : undefined;
    if (finding !== undefined) return { finding, missing: [] };
  }
  const missing = await missingWords(inquiry);
  const finding = existsAnswer(inquiry, missing) ?? (await definitionAnswer(inquiry));
  return { ...(finding === undefined ? {} : { finding }), missing };
}
