import { counted } from '../../../foundation/kernel/text/counted.ts';
import { showImpact } from '../../knowledge/queries/show-impact.ts';
import { askedNames, findDefinitions } from '../evidence/find-named.ts';
import { nameOf, recordOf } from '../evidence/sources.ts';
import { nextDefinitions, placeOf, targetSentence, targetText } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { inlineCode, joined, listSentence, namesOf } from '../text/markdown.ts';
import { targetsOf } from './targets.ts';
import { usesOf } from './uses.ts';

const max = { targets: 3, dependents: 8, others: 4 } as const;

/** Answers what a change of a definition, a file, or the files of a diff touches. */
export async function impactAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const [name] = inquiry.named.files.length > 0 ? [] : askedNames(inquiry);
  const same = name === undefined ? [] : await findDefinitions(inquiry, name);
  const targets = same.length > 0 ? same : await targetsOf(inquiry);
  const parts = await Promise.all(
    targets
      .filter(({ node }, at) => at === 0 || node.kind === 'file')
      .slice(0, max.targets)
      .map((target) => impactOf(inquiry, target)),
  );
  const [first] = targets;
  if (first === undefined) return undefined;
  return {
    lines: [...ofSeveral(same), ...parts.flatMap(({ lines }) => lines)],
    notes: [
      ...parts.flatMap(({ notes = [] }) => notes),
      'What only shares a name or is wired at run time is not counted.',
    ],
    next: [...parts.flatMap(({ next = [] }) => next), ...(same.length > 1 ? nextDefinitions(same) : [])],
    passages: first.isNamed ? 0 : 2,
    isSure: first.isNamed,
  };
}

/** Says how many definitions have the name that a question asks about, and where, if several do. */
function ofSeveral(all: readonly Target[]): readonly Sentence[] {
  if (all.length < 2) return [];
  const places = all.slice(0, max.others).map((one) => [targetText(one)]);
  const names = namesOf([...new Set(all.map(({ repository }) => repository))], max.others);
  const lead = `${inlineCode(all[0]!.node.name)} has ${all.length} definitions in ${names}. This is about the first of `;
  return [[lead, ...joined(places, all.length), '.']];
}

async function impactOf(inquiry: Inquiry, target: Target): Promise<Finding> {
  const { view, scope } = inquiry;
  const impact = await showImpact(view.graph, scope, target.node.key);
  const uses = target.node.kind === 'symbol' ? await usesOf(inquiry, target) : undefined;
  const { owners, issues, incidents, dependents, possible } = impact;
  const own = dependents.filter(({ node }) => node.key !== target.node.key);
  const named = own.slice(0, max.dependents).map(placeOf(inquiry));
  const touched: Sentence = [
    'A change of ',
    ...targetSentence(inquiry, target),
    ` touches ${counted(own.length, 'direct dependent')} (${possible.length} more possible)`,
    ...(own.length === 0 ? [] : [': ', ...joined(named, own.length)]),
    '.',
  ];
  return {
    lines: [
      ...(uses?.lines ?? [touched]),
      ...listSentence('Owned by ', owners, max.others, nameOf),
      ...listSentence('Open issues about it: ', issues, max.others, recordOf(inquiry)),
      ...listSentence('Open incidents about it: ', incidents, max.others, recordOf(inquiry)),
    ],
    notes: [
      ...(uses?.notes ?? []),
      ...(impact.truncated ? ['There are more connections than were followed.'] : []),
    ],
    next: uses?.next ?? [],
  };
}
