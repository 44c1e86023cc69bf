import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import type { Sentence, Statements } from '../answer/statements.ts';
import { askedToExist } from '../question/grammar/existence.ts';
import { asksForText } from '../question/grammar/usage.ts';
import { readTrace } from '../question/prompt/read-trace.ts';
import { inlineCode } from '../text/markdown.ts';
import { absentTerms, type Coverage, nothingMentions, outsideCode } from './absent-terms.ts';
import { answerCallers } from './answer-callers.ts';
import { answerCode } from './answer-code.ts';
import { answerImpact } from './answer-impact.ts';
import { answerIncident } from './answer-incident.ts';
import { answerIssue } from './answer-issue.ts';
import { answerNotFound } from './answer-not-found.ts';
import { answerOwners } from './answer-owners.ts';
import { answerPhrase, answerQuotedMessage } from './answer-phrase.ts';
import { answerService } from './answer-service.ts';
import { answerTrace } from './answer-trace.ts';
import { answerByMessages, answerHistory } from './history/answer-history.ts';
import { type Inquiry, placeText } from './inquiry.ts';
import { type CodedTerm, hasAll, termsInCode } from './terms-in-code.ts';
import { lineSource } from './text-uses.ts';
import { answerUses } from './uses/answer-uses.ts';

/** Maximum length of a quoted line. */
const maxLine = 120;

type Answerer = (inquiry: Inquiry) => Promise<Statements | undefined>;

/** The kinds of questions that the knowledge graph answers. */
const answerers: Readonly<Partial<Record<Inquiry['kind'], Answerer>>> = {
  callers: answerCallers,
  impact: answerImpact,
  owners: answerOwners,
  history: answerHistory,
  incident: answerIncident,
};

/** Returns whether the knowledge graph answers questions of a kind. */
export function isOfGraph(kind: Inquiry['kind']): boolean {
  return answerers[kind] !== undefined;
}

/** Says in a few sentences what was found. The kind of the question decides what is said first. */
export async function stateAnswer(inquiry: Inquiry): Promise<Statements> {
  const { kind, named, ranked, code } = inquiry;
  if (ranked.repositories.length === 0) return nothing;
  if (kind === 'service') return answerService(inquiry);
  if (ranked.unready.length > 0) return unready(ranked.unready);
  const told = (await answerMessage(inquiry)) ?? (await answerTrace(inquiry));
  if (told !== undefined) return told;
  // A ranking that was cut short does not prove that something is absent.
  if (ranked.partial && code.length === 0 && !hasEntities(inquiry)) return nothing;
  const isNamed = Object.values(named).some((list) => list.length > 0);
  const coverage = isNamed ? { content: [], absent: [] } : await absentTerms(inquiry);
  if (code.length === 0 && !hasEntities(inquiry)) return answerNotFound(inquiry, coverage);
  return stateFound(inquiry, coverage);
}

/** Answers a quoted error message, unless the prompt also has frames, which say more, or asks something else of it. */
async function answerMessage(inquiry: Inquiry): Promise<Statements | undefined> {
  const hasFrames = (readTrace(inquiry.prompt)?.frames.length ?? 0) > 0;
  return hasFrames || isOfGraph(inquiry.kind) ? undefined : answerQuotedMessage(inquiry);
}

/** States what was found, and what of the question is absent. */
async function stateFound(inquiry: Inquiry, coverage: Coverage): Promise<Statements> {
  // Only messages of commits mention code that was removed.
  const past = coverage.absent.length === 0 ? undefined : await answerByMessages(inquiry);
  if (past !== undefined) return past;
  const present = presentPart(inquiry, coverage);
  if (present === undefined && isWeak(inquiry, coverage)) {
    // What was removed is only in the history.
    const removed = inquiry.kind === 'history' ? await answerHistory(inquiry) : undefined;
    return removed ?? answerNotFound(inquiry, coverage);
  }
  const answered =
    present === undefined ? { ...inquiry, absent: coverage.absent } : withTerms(inquiry, present);
  const statements = (await firstStatements(answered)) ?? (await answerCode(answered));
  if (present === undefined)
    return withLimits(
      inquiry,
      { ...statements, notes: [...statements.notes, ...unknownNotes(inquiry)] },
      coverage,
    );
  const part = `Only a part was found. ${nothingMentions(inquiry, coverage.absent)}`;
  return { ...statements, lead: [[part], ...statements.lead] };
}

/** Adds which words of the question are absent. If it asks whether something exists, its absence is the answer. */
async function withLimits(
  inquiry: Inquiry,
  statements: Statements,
  { absent }: Coverage,
): Promise<Statements> {
  // What the code does not mention may be in its history.
  const isOfCode = inquiry.kind !== 'history' && inquiry.kind !== 'owners';
  const limits: readonly Sentence[] =
    isOfCode && absent.length > 0 ? [[nothingMentions(inquiry, absent)]] : [];
  const thing = isOfGraph(inquiry.kind) ? undefined : askedToExist(inquiry.asked);
  if (thing === undefined) return { ...statements, lead: [...statements.lead, ...limits] };
  const terms = await termsInCode(inquiry, thing);
  const outside = terms.filter(({ hit }) => hit === undefined).map(({ word }) => word);
  if (outside.length > 0 && outside.length * 2 >= thing.length)
    return nothingInCode(inquiry, outside, statements);
  const further = outside.filter((word) => !absent.includes(word));
  const noted: readonly Sentence[] = further.length === 0 ? [] : [[outsideCode(inquiry, further)]];
  const seen = outside.length + absent.length > 0 ? [] : inCode(inquiry, terms);
  return { ...statements, lead: [...seen, ...limits, ...noted, ...statements.lead] };
}

/** Shows a line of code that has all that a question asks the existence of, or says that none has. */
function inCode(inquiry: Inquiry, terms: readonly CodedTerm[]): readonly Sentence[] {
  const words = terms.map(({ word }) => word);
  const hit = terms.map((term) => term.hit).find((one) => one?.match && hasAll(one.match.text, words));
  const shown = words.map(inlineCode).join(' and ');
  if (hit?.match === undefined) return words.length < 2 ? [] : [[`No line of code has ${shown} together.`]];
  const source = lineSource(inquiry, hit.file, hit.match, 'has what is asked for');
  if (source === undefined) return [];
  const line = inlineCode(shorten(visibleLine(hit.match.text.trim()), maxLine));
  return [[`Code has ${shown}: ${line}, at ${placeText(inquiry, source)}`, source, '.']];
}

/** Says that no code has what a question asks the existence of, though it may be mentioned. */
function nothingInCode(
  inquiry: Inquiry,
  words: readonly string[],
  { lead: [nearest], sources, notes, isNotFound }: Statements,
): Statements {
  const searched = inquiry.ranked.searched.map(({ name }) => inlineCode(name)).join(', ');
  return {
    lead: [[`Not found. ${outsideCode(inquiry, words)} Searched: ${searched}.`]],
    reasons:
      nearest === undefined || isNotFound === true ? [] : [['By other words of the question: ', ...nearest]],
    sources,
    notes,
    isNotFound: true,
  };
}

/**
 * Returns the words of the part of a question that can be answered, if one of the parts that "and" joins is absent:
 * "how does it limit the rate and match routes". `undefined` if no part is, or if all are.
 */
function presentPart({ asked }: Inquiry, { content, absent }: Coverage): readonly string[] | undefined {
  if (absent.length === 0) return undefined;
  const parts = asked
    .split(/,|;|\b(?:and|or)\b/iu)
    .map((part) => part.toLowerCase())
    .map((part) => content.filter((word) => part.includes(word.toLowerCase())))
    .filter((words) => words.length > 0);
  const isAbsent = (words: readonly string[]): boolean =>
    words.filter((word) => absent.includes(word)).length * 2 >= words.length;
  const present = parts.filter((words) => !words.some((word) => absent.includes(word)));
  const isSplit = present.length > 0 && present.length < parts.length;
  return isSplit && parts.every((words) => present.includes(words) || isAbsent(words))
    ? [...new Set(present.flat())]
    : undefined;
}

function withTerms(inquiry: Inquiry, terms: readonly string[]): Inquiry {
  const { ranked } = inquiry;
  return { ...inquiry, ranked: { ...ranked, subject: { ...ranked.subject, terms } } };
}

/** Tries the ways to answer in order: by the kind of the question, then by what it names. */
async function firstStatements(inquiry: Inquiry): Promise<Statements | undefined> {
  const { kind, named } = inquiry;
  const answerer = answerers[kind];
  const ways: readonly Answerer[] = [
    ...(answerer === undefined ? [answerPhrase, answerUses] : [answerer, answerPhrase]),
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

/** Says that the repositories that a question names cannot be searched: others do not answer it. */
function unready(repositories: Inquiry['ranked']['unready']): Statements {
  const names = repositories.map(({ name }) => inlineCode(name)).join(', ');
  const lead = `The question names ${names}, which cannot be searched yet. Ask again when the indexing has ended; \`orgctx repo list\` shows the state.`;
  return { ...nothing, lead: [[lead]], isNotFound: true };
}

const nothing: Statements = { lead: [], reasons: [], sources: [], notes: [] };

function hasEntities({ named }: Inquiry): boolean {
  const { unknown: _unknown, ...entities } = named;
  return Object.values(entities).some((list) => list.length > 0);
}

/** Number of words of a question that only asks about an issue. */
const shortQuestion = 4;
/** The share of the words of a question above which their absence means that nothing answers it. */
const maxAbsent = 1 / 3;

/** Number of words besides missing names, such as those of a sample, by which a question can be answered. */
const minOtherTerms = 5;

/** Returns whether the passages only share common words with the question. */
function isWeak(inquiry: Inquiry, { content, absent }: Coverage): boolean {
  const { ranked, named } = inquiry;
  const { terms, identifiers, paths, phrases, places } = ranked.subject;
  if (hasEntities(inquiry)) return false;
  if (named.unknown.length > 0 && terms.length <= shortQuestion) return true;
  const isTold = (name: string): boolean => ranked.context.includes(name);
  const own = identifiers.filter((name) => !isTold(name));
  const wanted = [...own, ...(asksForText.test(inquiry.asked) ? phrases : [])];
  const isMissing = (name: string): boolean => ranked.unmatched.includes(name);
  const saysMore = terms.length - absent.length >= wanted.length + minOtherTerms;
  if (wanted.length > 0 && wanted.every(isMissing) && paths.length === 0 && !saysMore) return true;
  if (paths.length + places.length > 0) return false;
  if (absent.length === 0) return false;
  const isMostlyAbsent = absent.length / content.length > maxAbsent;
  const isNamed = ranked.searched.length < ranked.repositories.length;
  if (wanted.length > 0) return isNamed && isMostlyAbsent;
  return (
    (isMostlyAbsent && !isOnlyVerb(absent, inquiry.asked)) ||
    absent.some((word) => isName(word, inquiry.prompt))
  );
}

/** Code may have another word for what a question says is done, so that its verb alone proves nothing. */
function isOnlyVerb(absent: readonly string[], asked: string): boolean {
  const verb = /\b(?:does|do|did)\s+(?:(?:the|a|an|our|my)\s+)?[\w'’`/-]+\s+(\w+)/iu.exec(asked)?.[1];
  return verb !== undefined && absent.every((word) => word === verb);
}

/** A word in capitals inside of a sentence is a name, such as that of a product. */
function isName(word: string, prompt: string): boolean {
  const before = prompt.slice(0, Math.max(0, prompt.indexOf(word))).trimEnd();
  return /^\p{Lu}/u.test(word) && /[\p{L}\p{N},]$/u.test(before);
}

function unknownNotes({ named }: Inquiry): string[] {
  const unknown = named.unknown.map((name) => `\`${name}\``).join(', ');
  return unknown === '' ? [] : [`No issue ${unknown} is mirrored in this organization.`];
}
