import type { Statements } from '../answer/statements.ts';
import { inlineCode } from '../text/markdown.ts';
import { absentTerms } from './absent-terms.ts';
import { answerCallers } from './answer-callers.ts';
import { answerCode } from './answer-code.ts';
import { answerImpact } from './answer-impact.ts';
import { answerIncident } from './answer-incident.ts';
import { answerIssue } from './answer-issue.ts';
import { answerNotFound } from './answer-not-found.ts';
import { answerOwners } from './answer-owners.ts';
import { answerPhrase } from './answer-phrase.ts';
import { answerService } from './answer-service.ts';
import { answerTrace } from './answer-trace.ts';
import { answerHistory } from './history/answer-history.ts';
import type { Inquiry } from './inquiry.ts';
import { answerUses } from './uses/answer-uses.ts';

type Answerer = (inquiry: Inquiry) => Promise<Statements | undefined>;

/** The kinds of questions that the knowledge graph answers. */
const answerers: Readonly<Partial<Record<Inquiry['kind'], Answerer>>> = {
  callers: answerCallers,
  impact: answerImpact,
  owners: answerOwners,
  history: answerHistory,
  incident: answerIncident,
};

/** Says in a few sentences what was found. The kind of the question decides what is said first. */
export async function stateAnswer(inquiry: Inquiry): Promise<Statements> {
  const { kind, named, ranked, code } = inquiry;
  if (ranked.repositories.length === 0) return nothing;
  if (kind === 'service') return answerService(inquiry);
  // A search that timed out does not prove that something is absent.
  if (ranked.timedOut && code.length === 0 && !hasEntities(inquiry)) return nothing;
  const isNamed = Object.values(named).some((list) => list.length > 0);
  const absent = isNamed ? [] : await absentTerms(inquiry);
  if (code.length === 0 && !hasEntities(inquiry)) return answerNotFound(inquiry, absent);
  if (isWeak(inquiry, absent)) return answerNotFound(inquiry, absent);
  const statements = (await firstStatements(inquiry)) ?? (await answerCode(inquiry));
  return { ...statements, notes: [...statements.notes, ...absentNotes(absent), ...unknownNotes(inquiry)] };
}

/** Tries the ways to answer in order: by the kind of the question, then by what it names. */
async function firstStatements(inquiry: Inquiry): Promise<Statements | undefined> {
  const { kind, named } = inquiry;
  const answerer = answerers[kind];
  const ways: readonly Answerer[] = [
    ...(inquiry.ranked.subject.places.length > 0 ? [answerTrace] : []),
    ...(answerer === undefined ? [answerUses] : [answerer]),
    answerPhrase,
    answerIssue,
    ...(named.incidents.length > 0 ? [answerIncident] : []),
    ...(named.commits.length + named.pulls.length > 0 ? [answerHistory] : []),
  ];
  for (const way of ways) {
    const statements = await way(inquiry);
    if (statements !== undefined) return statements;
  }
  return undefined;
}

const nothing: Statements = { lead: [], reasons: [], sources: [], notes: [] };

function hasEntities({ named }: Inquiry): boolean {
  const { unknown: _unknown, ...entities } = named;
  return Object.values(entities).some((list) => list.length > 0);
}

/** Number of words of a question that only asks about an issue. */
const shortQuestion = 4;
/** The share of the words of a question from which their absence means that nothing answers it. */
const maxAbsent = 0.34;

/** Returns whether the passages only share common words with the question. */
function isWeak(inquiry: Inquiry, absent: readonly string[]): boolean {
  const { ranked, named } = inquiry;
  const { terms, identifiers, paths, phrases, places } = ranked.subject;
  if (hasEntities(inquiry)) return false;
  if (named.unknown.length > 0 && terms.length <= shortQuestion) return true;
  const wanted = [...identifiers, ...phrases];
  const isMissing = (name: string): boolean => ranked.unmatched.includes(name);
  if (wanted.length > 0 && !wanted.every(isMissing)) return false;
  if (wanted.length > 0 && wanted.every(isMissing) && paths.length === 0) return true;
  if (paths.length + places.length > 0) return false;
  return absent.some((word) => isName(word, inquiry.prompt)) || absent.length / terms.length >= maxAbsent;
}

/** A word in capitals inside of a sentence is a name, such as that of a product. */
function isName(word: string, prompt: string): boolean {
  const before = prompt.slice(0, Math.max(0, prompt.indexOf(word))).trimEnd();
  return /^\p{Lu}/u.test(word) && /[\p{L}\p{N},]$/u.test(before);
}

function absentNotes(absent: readonly string[]): string[] {
  return absent.length === 0 ? [] : [`Nothing indexed mentions ${absent.map(inlineCode).join(', ')}.`];
}

function unknownNotes({ named }: Inquiry): string[] {
  const unknown = named.unknown.map((name) => `\`${name}\``).join(', ');
  return unknown === '' ? [] : [`No issue ${unknown} is mirrored in this organization.`];
}
