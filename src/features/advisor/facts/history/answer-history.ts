import type { GraphNode } from '../../../../backends/graph/port.ts';
import { fileKey } from '../../../knowledge/links/keys.ts';
import { reached, step } from '../../../knowledge/queries/related-node.ts';
import { joined, type Sentence, type Statements } from '../../answer/statements.ts';
import { plainText } from '../../text/markdown.ts';
import { type Inquiry, maxPassages, nodePlace } from '../inquiry.ts';
import { enclosing } from '../targets/enclosing.ts';
import { findTarget, nodeOf, type Target, targetOf } from '../targets/target.ts';
import { targetSource } from '../targets/target-source.ts';
import { answerFound, purposeOf } from './answer-found.ts';
import { areaOf } from './area.ts';
import { reasonSentences, touchedSentence } from './change-sentences.ts';
import {
  type Change,
  changeText,
  commitsAbout,
  commitsOf,
  describeChanges,
  fits,
  similarTo,
} from './commits.ts';
import { describePast, fittingPast, type Past, type PastChange, readPast } from './past.ts';
import { isMechanical } from './purpose.ts';
import { saysMore } from './search-past.ts';
import { findStatedReason, reasonSentence, type StatedReason } from './stated-reason.ts';
import { typedTarget } from './typed-target.ts';

const max = { similar: 2, recent: 2, latest: 4, searched: 6 } as const;

/** Answers why and when something changed: by the commit that is named, or those of the file that it is about. */
export async function answerHistory(inquiry: Inquiry): Promise<Statements | undefined> {
  const { named } = inquiry;
  const direct = named.commits.length > 0 ? named.commits : await commitsOfPulls(inquiry, named.pulls);
  if (direct.length > 0) return answerNamedCommits(inquiry, direct);
  const asked = askedFor(inquiry.asked);
  const reason = asked === 'reason' ? await findStatedReason(inquiry) : undefined;
  const target = await targetFor(inquiry, reason);
  const found = await answerByMessage(inquiry, target);
  if (found !== undefined) return found;
  if (target === undefined) return undefined;
  const past = await readPast(inquiry, target);
  const own = await targetSource(inquiry, target);
  const subject: Sentence = [nodePlace(inquiry, target.node), ...(own === undefined ? [] : [own])];
  const about: About = { target, subject, past };
  if (reason !== undefined) return answerReason(inquiry, about, reason);
  if (isForeign(inquiry, target)) return undefined;
  return answerFromLines(inquiry, about, asked);
}

/** Returns whether the search found something in another repository than those that the question names. */
function isForeign({ ranked: { named } }: Inquiry, { isNamed, repositoryId }: Target): boolean {
  return !isNamed && named.length > 0 && !named.some(({ id }) => id === repositoryId);
}

/** Answers with the commits of the lines of a definition, or else with those of its file. */
async function answerFromLines(
  inquiry: Inquiry,
  about: About,
  asked: Asked,
): Promise<Statements | undefined> {
  const { past } = about;
  if (asked === 'first' && !about.target.isNamed) return unknownBeginning(inquiry, about);
  if (asked === 'first') return answerIntroduction(inquiry, about);
  if (asked === 'last' && past !== undefined) return answerLast(inquiry, about, past);
  const explains = asked === 'reason' || asked === 'change';
  const explained = explains ? await answerChange(inquiry, about) : undefined;
  return explained ?? answerSimilar(inquiry, about);
}

/** The commits of the lines of a name say more than messages do, unless the question says more than the name. */
async function answerByMessage(
  inquiry: Inquiry,
  target: Target | undefined,
): Promise<Statements | undefined> {
  const purpose = purposeOf(inquiry.asked);
  if (purpose === undefined) return undefined;
  const isNamed = target?.isNamed === true;
  if (isNamed && purpose === 'change') return undefined;
  if (isNamed && purpose === 'first' && !saysMore(inquiry, target.node.name)) return undefined;
  return answerFound(inquiry, purpose, { mustSayAll: isNamed && purpose === 'first' });
}

type Asked = 'first' | 'last' | 'reason' | 'change' | 'other';

/** Returns what of a history is asked for: the reason of a state or of a change, its beginning or its latest changes. */
function askedFor(head: string): Asked {
  if (asksForFirst.test(head) || (asksWhen.test(head) && !asksForLater.test(head))) return 'first';
  if (asksForLast.test(head)) return 'last';
  if (!asksWhy.test(head)) return 'other';
  return asksForChange.test(head) ? 'change' : 'reason';
}

/** Answers with the commit of the lines whose message fits the question; nothing without one. */
async function answerChange(
  inquiry: Inquiry,
  { target, subject, past }: About,
): Promise<Statements | undefined> {
  const fitting = past === undefined ? [] : fittingPast(inquiry, past, target.node.name);
  const changes = await describePast(inquiry, fitting.slice(0, max.similar), 'change of the lines');
  const [chosen, ...others] = changes;
  if (chosen === undefined) return undefined;
  const isReason = askedFor(inquiry.asked) === 'reason';
  return {
    lead: [
      [
        isReason ? 'No comment that says why was found. The change of ' : 'The change of ',
        ...subject,
        isReason ? ' that fits the question best is ' : ' that explains it best is ',
        ...changeText(chosen),
        '.',
      ],
      ...reasonSentences(inquiry, chosen),
    ],
    reasons: otherChanges(others),
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

/** The code that a question about history is about. */
interface About {
  readonly target: Target;
  readonly subject: Sentence;
  /** The commits of its lines; `undefined` if they cannot be read. */
  readonly past: Past | undefined;
}

const asksWhy = /\b(?:why|reason|how come|what for)\b/iu;
/** A question for the reason of an event, which a commit gives rather than a comment. */
const asksForChange =
  /\bwhy (?:was|were|did|has|have)\b[^?]{0,120}\b(?:add|introduc|creat|renam|remov|chang|mov|replac|drop|switch|delet|deprecat|revert|rewrit|rework|refactor)\w*/iu;
/** A question for a time is about the beginning, unless it names a later event. */
const asksWhen = /\bwhen (?:was|were|did)\b/iu;
const asksForLater =
  /\b(?:last|chang|renam|remov|drop|delet|deprecat|fix|releas|mov|replac|stop|revert|updat|rewrit|rework|broke)\w*/iu;
const asksForLast =
  /\b(?:who (?:last )?(?:changed|touched|modified|edited)|last (?:change[ds]?|touched|modified|edited|commit)|(?:changed?|changes|touched|modified) last|what (?:has )?changed|recent(?:ly)?|latest)\b/iu;

/** Returns the definition around the lines that state the reason, or else the target of the question. */
async function targetFor(inquiry: Inquiry, reason: StatedReason | undefined): Promise<Target | undefined> {
  if (reason === undefined) {
    return (await typedTarget(inquiry)) ?? (await lastTarget(inquiry)) ?? findTarget(inquiry);
  }
  const { repository: repositoryId, path } = reason.file;
  const node = await enclosing(inquiry, { repositoryId, path, line: reason.line });
  return (node && targetOf(node, false)) ?? findTarget(inquiry);
}

/** Returns the file whose name is in a question for the latest changes, if it names nothing else. */
async function lastTarget(inquiry: Inquiry): Promise<Target | undefined> {
  const { named } = inquiry;
  const isNamed = named.symbols.length + named.files.length > 0;
  if (isNamed || askedFor(inquiry.asked) !== 'last') return undefined;
  const area = areaOf(inquiry);
  if (area === undefined || area.isFolder) return undefined;
  const node = await nodeOf(inquiry, { repositoryId: area.repositoryId, path: area.path });
  return node && targetOf(node, false);
}

/** Answers with the comment that says why, and with the change that the lines around it came with. */
async function answerReason(
  inquiry: Inquiry,
  { subject, past, target }: About,
  reason: StatedReason,
): Promise<Statements> {
  const fitting = past === undefined ? [] : fittingPast(inquiry, past, target.node.name);
  const [change] = await describePast(inquiry, fitting.slice(0, 1), 'change of the lines');
  return {
    lead: [reasonSentence(inquiry, reason)],
    reasons: [
      ['It is in ', ...subject, '.'],
      ...(change === undefined
        ? []
        : [
            ['A change of it that fits the question: ', ...changeText(change), '.'],
            ...reasonSentences(inquiry, change),
          ]),
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

/** Answers who changed something last and what changed lately: with the newest commits of its lines. */
async function answerLast(
  inquiry: Inquiry,
  { target, subject }: About,
  past: Past,
): Promise<Statements | undefined> {
  const isPlain = ({ node }: PastChange): boolean => isMechanical(node.name, inquiry.asked);
  const substantial = past.changes.filter((change) => !isPlain(change));
  const recent = (substantial.length > 0 ? substantial : past.changes).slice(0, max.latest);
  const later = past.changes.slice(
    0,
    past.changes.findIndex(({ node }) => node === recent[0]?.node),
  );
  const [plain] = await describePast(inquiry, later.slice(0, 1), 'latest change');
  const [last, ...others] = await describePast(inquiry, recent, 'latest change');
  if (last === undefined) return undefined;
  const author = last.authors[0];
  const by = author === undefined ? '' : ` by ${plainText(author)}`;
  const what = target.node.kind === 'symbol' ? ['The lines of ', ...subject, ' were'] : [...subject, ' was'];
  return {
    lead: [
      ...(target.isNamed ? [] : [['The question names no code that is known; the nearest follows.']]),
      [...what, ` last changed${by}: `, ...changeText(last), '.'],
      ...reasonSentences(inquiry, last),
    ],
    reasons: [
      ...(plain === undefined
        ? []
        : [['A later one only formats or moves code: ', ...changeText(plain), '.']]),
      ...otherChanges(others, 'Before that: '),
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

function otherChanges(others: readonly Change[], label = 'Other changes: '): Sentence[] {
  return others.length === 0 ? [] : [[label, ...joined(others.map(changeText)), '.']];
}

/** Answers with the commits of the file, or of the best files, whose subjects fit the question. */
async function answerSimilar(inquiry: Inquiry, { target, subject }: About): Promise<Statements | undefined> {
  const { touching, commits } = await candidatesOf(inquiry, target);
  const isAsked = purposeOf(inquiry.asked) !== undefined;
  const isReason = askedFor(inquiry.asked) === 'reason';
  const doubt = isAsked
    ? 'No message of a commit surely says that. '
    : isReason
      ? 'No comment that says why was found. '
      : '';
  const similar = similarTo(inquiry, commits)
    .filter(({ name }) => !isMechanical(name, inquiry.asked))
    .slice(0, isAsked ? 1 : max.similar);
  if (!target.isNamed && isAnsweredByCode(inquiry, similar[0])) return undefined;
  // Recent changes are no answer while another change fits the question.
  const rest = touching.filter(({ key }) => similar.every((one) => one.key !== key));
  const recent = similar.length === 0 ? rest.slice(0, max.recent) : [];
  const changes = await describeChanges(inquiry, [...similar, ...recent], 'change of the file');
  const [chosen, ...others] = changes;
  if (chosen === undefined) return undefined;
  const what = target.isNamed ? ['the file of ', ...subject] : [...subject];
  const lead: Sentence =
    similar.length > 0
      ? [
          `${doubt}The change `,
          ...(target.isNamed ? ['of ', ...what, ' '] : []),
          'that fits the question best is ',
          ...changeText(chosen),
          '.',
        ]
      : ['The last change of ', ...what, ' is ', ...changeText(chosen), '.'];
  return {
    lead: [lead, ...reasonSentences(inquiry, chosen)],
    reasons: otherChanges(others),
    sources: inquiry.code.slice(0, maxPassages),
    notes: ['History is known by file, not by line: a commit may have changed another part of it.'],
  };
}

/** Returns the commits of the files that a question is about, and further ones whose subjects share words with it. */
async function candidatesOf(
  inquiry: Inquiry,
  target: Target,
): Promise<{ readonly touching: readonly GraphNode[]; readonly commits: readonly GraphNode[] }> {
  const ranked = inquiry.code.map(({ repositoryId, path }) => fileKey(repositoryId, path));
  const files = target.isNamed
    ? [target.file]
    : [...new Set([target.file, ...ranked])].slice(0, max.searched);
  const touching = await commitsOf(inquiry, files);
  const about = target.isNamed ? [] : await commitsAbout(inquiry);
  return {
    touching,
    commits: [...new Map([...touching, ...about].map((node) => [node.key, node])).values()],
  };
}

/** A question for the reason of a behaviour: the code answers it, unless a change made it so. */
const asksForReason = /\bwhy (?:is|are|does|do|isn't|aren't|doesn't|don't)\b/iu;

function isAnsweredByCode(inquiry: Inquiry, similar: GraphNode | undefined): boolean {
  return asksForReason.test(inquiry.asked) && !fits(inquiry, similar);
}

const asksForFirst =
  /\b(?:introduced|created|added|originally|since when|initially|first (?:added|introduced|commit|version))\b/iu;

/** Answers when a definition or file came: with the oldest commit of its lines, or else of its file. */
async function answerIntroduction(
  inquiry: Inquiry,
  { target, subject, past }: About,
): Promise<Statements | undefined> {
  const first = past?.whole === true ? past.changes.at(-1) : undefined;
  const [oldest] =
    first === undefined ? [] : await describePast(inquiry, [first], 'first commit of the lines');
  const change = oldest ?? (await oldestOfFile(inquiry, target));
  if (change === undefined) return undefined;
  const isOfFile = oldest === undefined || target.node.kind !== 'symbol';
  return {
    lead: [
      ...unsure(inquiry, target),
      [...(isOfFile ? ['The file of '] : []), ...subject, ' came with ', ...changeText(change), '.'],
      ...reasonSentences(inquiry, change),
    ],
    reasons: [],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [
      isOfFile
        ? 'That is the oldest known commit of this path; before it the code may have had another path.'
        : 'That is the oldest commit of these lines; before it the code may have been elsewhere.',
    ],
  };
}

/** Gives no date of code that the question may not mean. */
function unknownBeginning({ code }: Inquiry, { subject }: About): Statements {
  return {
    lead: [['No message of a commit says when that came.']],
    reasons: [
      ['The nearest code is ', ...subject, '; ask for its first commit by name if it is what is meant.'],
    ],
    sources: code.slice(0, maxPassages),
    notes: [],
  };
}

/** Says that the commits are those of something that the question may not mean. */
function unsure(inquiry: Inquiry, { node }: Target): Sentence[] {
  return saysMore(inquiry, node.name) && purposeOf(inquiry.asked) === 'first'
    ? [['No message of a commit says all of that.']]
    : [];
}

async function oldestOfFile(inquiry: Inquiry, { file }: Target): Promise<Change | undefined> {
  const oldest = (await commitsOf(inquiry, [file])).at(-1);
  const commits = oldest === undefined ? [] : [oldest];
  return (await describeChanges(inquiry, commits, 'first commit of the file'))[0];
}

async function commitsOfPulls(
  { view, scope }: Inquiry,
  pulls: readonly GraphNode[],
): Promise<readonly GraphNode[]> {
  if (pulls.length === 0) return [];
  const from = pulls.map(({ key }) => key);
  const found = await step(view.graph, scope, { from, direction: 'in', kinds: ['part_of'] });
  return reached(found, from, ['commit']).map(({ node }) => node);
}

async function answerNamedCommits(
  inquiry: Inquiry,
  commits: readonly GraphNode[],
): Promise<Statements | undefined> {
  const changes = await describeChanges(inquiry, commits.slice(0, max.recent), 'named in the question');
  const [first] = changes;
  if (first === undefined) return undefined;
  const touched = await touchedSentence(inquiry, first);
  const others = changes.slice(1);
  return {
    lead: [['The change is ', ...changeText(first), '.'], ...reasonSentences(inquiry, first)],
    reasons: [...touched, ...otherChanges(others, 'Further commits of it: ')],
    sources: inquiry.code.slice(0, maxPassages),
    notes: touched.length === 0 ? ['None of the files that it touched exists any more.'] : [],
  };
}
