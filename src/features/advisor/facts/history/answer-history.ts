import type { GraphNode } from '../../../../backends/graph/port.ts';
import { fileKey } from '../../../knowledge/links/keys.ts';
import { reached, step } from '../../../knowledge/queries/related-node.ts';
import { joined, type Sentence, type Statements } from '../../answer/statements.ts';
import { type Inquiry, maxPassages, nodePlace } from '../inquiry.ts';
import { recordSentence, stateText } from '../issue-text.ts';
import { findTarget, type Target } from '../targets/target.ts';
import { targetSource } from '../targets/target-source.ts';
import {
  type Change,
  changeText,
  commitsAbout,
  commitsOf,
  describeChanges,
  fits,
  similarTo,
} from './commits.ts';

const max = { similar: 2, recent: 2, files: 6, issues: 3, searched: 6 } as const;

/** Answers why and when something changed: by the commit that is named, or those of the file that it is about. */
export async function answerHistory(inquiry: Inquiry): Promise<Statements | undefined> {
  const { named, code, prompt } = inquiry;
  const direct = named.commits.length > 0 ? named.commits : await commitsOfPulls(inquiry, named.pulls);
  if (direct.length > 0) return answerNamedCommits(inquiry, direct);
  const target = await findTarget(inquiry);
  if (target === undefined) return undefined;
  const { touching, commits } = await candidatesOf(inquiry, target);
  const own = await targetSource(inquiry, target);
  const subject: Sentence = [nodePlace(inquiry, target.node), ...(own === undefined ? [] : [own])];
  if (asksForFirst.test(prompt.slice(0, 400))) return answerIntroduction(inquiry, target, subject);
  const similar = similarTo(inquiry, commits).slice(0, max.similar);
  if (!target.isNamed && isAnsweredByCode(inquiry, similar[0])) return undefined;
  // Without a named target, recent changes of the best files are no answer while another change fits the question.
  const shows = target.isNamed || similar.length === 0;
  const rest = touching.filter(({ key }) => similar.every((one) => one.key !== key));
  const recent = shows ? rest.slice(0, max.recent) : [];
  const changes = await describeChanges(inquiry, [...similar, ...recent], 'change of the file');
  const [chosen, ...others] = changes;
  if (chosen === undefined) return undefined;
  const what = target.isNamed ? ['the file of ', ...subject] : [...subject];
  const lead: Sentence =
    similar.length > 0
      ? [
          'The change ',
          ...(target.isNamed ? ['of ', ...what, ' '] : []),
          'that fits the question best is ',
          ...changeText(chosen),
          '.',
        ]
      : ['The last change of ', ...what, ' is ', ...changeText(chosen), '.'];
  return {
    lead: [lead, ...issueSentences(inquiry, chosen)],
    reasons: others.length === 0 ? [] : [['Other changes: ', ...joined(others.map(changeText)), '.']],
    sources: code.slice(0, maxPassages),
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
  return asksForReason.test(inquiry.prompt.slice(0, 400)) && !fits(inquiry, similar);
}

const asksForFirst =
  /\b(?:introduced|created|added|originally|since when|initially|first (?:added|introduced|commit|version))\b/iu;

/** Answers when a file came: with its oldest known commit. */
async function answerIntroduction(
  inquiry: Inquiry,
  target: Target,
  subject: Sentence,
): Promise<Statements | undefined> {
  const oldest = (await commitsOf(inquiry, [target.file])).at(-1);
  const [change] = await describeChanges(
    inquiry,
    oldest === undefined ? [] : [oldest],
    'first commit of the file',
  );
  if (change === undefined) return undefined;
  return {
    lead: [
      ['The file of ', ...subject, ' came with ', ...changeText(change), '.'],
      ...issueSentences(inquiry, change),
    ],
    reasons: [],
    sources: inquiry.code.slice(0, maxPassages),
    notes: ['That is the oldest known commit of this path; before it the code may have had another path.'],
  };
}

function issueSentences(inquiry: Inquiry, { issues }: Change): Sentence[] {
  return issues.slice(0, max.issues).map(({ node, edge }): Sentence => {
    const verb = edge.kind === 'closes' ? 'It closed ' : 'It names ';
    return [verb, ...recordSentence(inquiry, node, `${edge.kind} (${edge.rule})`), `, ${stateText(node)}.`];
  });
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
  const { view, scope } = inquiry;
  const touched = await step(view.graph, scope, {
    from: [first.node.key],
    direction: 'out',
    kinds: ['touches'],
  });
  const files = reached(touched, [first.node.key], ['file']);
  const shown = files.slice(0, max.files).map(({ node }): Sentence => [nodePlace(inquiry, node)]);
  const others = changes.slice(1).map(changeText);
  return {
    lead: [['The change is ', ...changeText(first), '.'], ...issueSentences(inquiry, first)],
    reasons: [
      ...(shown.length === 0 ? [] : [['It touched ', ...joined(shown, files.length), '.']]),
      ...(others.length === 0 ? [] : [['Further commits of it: ', ...joined(others), '.']]),
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes: files.length === 0 ? ['None of the files that it touched exists any more.'] : [],
  };
}
