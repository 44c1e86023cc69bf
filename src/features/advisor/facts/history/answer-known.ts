import type { Statements } from '../../answer/statements.ts';
import { plainText } from '../../text/markdown.ts';
import { type Inquiry, maxPassages } from '../inquiry.ts';
import { findTarget, nodeOf, type Target, targetOf } from '../targets/target.ts';
import { subjectOf } from '../targets/target-source.ts';
import { otherChanges, reasonSentences } from './change-sentences.ts';
import { type Change, changeText, commitsOf, describeChanges } from './commits.ts';
import { describePast, type MessageChange, readPast } from './past.ts';
import { areaOf } from './people/area.ts';
import { typedTarget } from './people/typed-target.ts';
import { isMechanical } from './purpose.ts';

/** The answer for the beginning of some code. */
interface Introduction extends Statements {
  /** True if its oldest commit only moved it from elsewhere. */
  readonly isMoved: boolean;
}

/** Number of the latest commits that are named. */
const maxLatest = 4;

/** Returns the file whose name is in a question for the latest changes, if it names nothing else. */
async function lastTarget(inquiry: Inquiry): Promise<Target | undefined> {
  const { named } = inquiry;
  const isNamed = named.symbols.length + named.files.length > 0;
  if (isNamed) return undefined;
  const area = areaOf(inquiry);
  if (area === undefined || area.isFolder) return undefined;
  const node = await nodeOf(inquiry, { repositoryId: area.repositoryId, path: area.path });
  return node && targetOf(node, false);
}

/** Answers who changed something last and what changed lately: with the newest commits of its lines. */
export async function answerLast(inquiry: Inquiry): Promise<Statements | undefined> {
  const target = (await typedTarget(inquiry)) ?? (await lastTarget(inquiry)) ?? (await findTarget(inquiry));
  const past = target && (await readPast(inquiry, target));
  if (target === undefined || past === undefined) return undefined;
  const subject = await subjectOf(inquiry, target);
  const isPlain = ({ node }: MessageChange): boolean => isMechanical(node.name, inquiry.asked);
  const substantial = past.changes.filter((change) => !isPlain(change));
  const recent = (substantial.length > 0 ? substantial : past.changes).slice(0, maxLatest);
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

/** A commit that moves code, so that what it contains is older. */
const moves = /\b(?:refactor|mov|renam|split|reorgani[sz]|restructur|convert|migrat|extract)\w*/iu;

/** Answers when a definition or file came: with the oldest commit of its lines, or else of its file. */
export async function answerIntroduction(
  inquiry: Inquiry,
  target: Target,
): Promise<Introduction | undefined> {
  const past = await readPast(inquiry, target);
  const subject = await subjectOf(inquiry, target);
  const first = past?.whole === true ? past.changes.at(-1) : undefined;
  const [oldest] =
    first === undefined ? [] : await describePast(inquiry, [first], 'first commit of the lines');
  const change = oldest ?? (await oldestOfFile(inquiry, target));
  if (change === undefined) return undefined;
  const isOfFile = oldest === undefined || target.node.kind !== 'symbol';
  return {
    isMoved: moves.test(change.node.name),
    lead: [
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

/** Says that no message says it, and shows the nearest code without a date: the question may not mean it. */
export async function unknownChange(inquiry: Inquiry): Promise<Statements | undefined> {
  const target = await findTarget(inquiry);
  if (target === undefined) return undefined;
  const subject = await subjectOf(inquiry, target);
  return {
    lead: [['No message of a commit says that.']],
    reasons: [
      ['The nearest code is ', ...subject, '; ask for its first commit by name if it is what is meant.'],
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

async function oldestOfFile(inquiry: Inquiry, { file }: Target): Promise<Change | undefined> {
  const oldest = (await commitsOf(inquiry, [file])).at(-1);
  const commits = oldest === undefined ? [] : [oldest];
  return (await describeChanges(inquiry, commits, 'first commit of the file'))[0];
}
