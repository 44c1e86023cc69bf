import { showImpact } from '../../knowledge/queries/show-impact.ts';
import { joined, type Sentence, type Statements } from '../answer/statements.ts';
import { plainText } from '../text/markdown.ts';
import { productFirst } from './answer-callers.ts';
import { type Inquiry, maxPassages, nodePlace } from './inquiry.ts';
import { recordSentence } from './issue-text.ts';
import { useSource } from './targets/node-source.ts';
import { containerOf, findTargets, type Target, targetOf } from './targets/target.ts';
import { targetSource } from './targets/target-source.ts';

const max = { targets: 3, named: 5, people: 4 } as const;

/** Answers what a change of a definition, a file, or the files of a diff touches. */
export async function answerImpact(inquiry: Inquiry): Promise<Statements | undefined> {
  const found = await findTargets(inquiry);
  const [first] = found;
  if (first === undefined) return undefined;
  const targets = [...found, ...otherFiles(inquiry, first)].slice(0, max.targets);
  const all = await Promise.all(targets.map((target) => usedImpactOf(inquiry, target)));
  const distinct = all.filter(({ key }, index) => all.findIndex((one) => one.key === key) === index);
  const used = distinct.filter(({ uses }) => uses > 0);
  const parts = used.length > 0 && !first.isNamed ? used : distinct;
  return {
    lead: parts.map(({ lead }) => lead),
    reasons: parts.flatMap(({ reasons }) => reasons),
    sources: inquiry.code.slice(0, maxPassages),
    notes: [
      'Dependents are direct ones; calls through a variable of unknown type may be missing.',
      ...(parts.some(({ truncated }) => truncated) ? ['The lists are limited: more may be touched.'] : []),
    ],
  };
}

/** Returns the further files that the prompt names, such as those of a diff. */
function otherFiles({ named }: Inquiry, first: Target): readonly Target[] {
  if (first.node.kind !== 'file') return [];
  return named.files
    .filter(({ key }) => key !== first.node.key)
    .flatMap((node) => targetOf(node, true) ?? []);
}

interface TargetImpact {
  readonly key: string;
  readonly lead: Sentence;
  readonly reasons: Sentence[];
  /** Number of its dependents. */
  readonly uses: number;
  readonly truncated: boolean;
}

/** A method that implements an interface is used through its class. */
async function usedImpactOf(inquiry: Inquiry, target: Target): Promise<TargetImpact> {
  const own = await impactOf(inquiry, target);
  const container = own.uses > 0 ? undefined : await containerOf(inquiry, target);
  return container === undefined ? own : impactOf(inquiry, container);
}

async function impactOf(inquiry: Inquiry, target: Target): Promise<TargetImpact> {
  const { view, scope } = inquiry;
  const impact = await showImpact(view.graph, scope, target.node.key);
  const own = await targetSource(inquiry, target);
  const uses = productFirst(impact.dependents.filter(({ node }) => node.key !== target.file));
  const named = await Promise.all(
    uses.slice(0, max.named).map(async ({ node, edge }): Promise<Sentence> => {
      const source = await useSource(inquiry, node, edge);
      return [nodePlace(inquiry, node), ...(source === undefined ? [] : [source])];
    }),
  );
  const subject: Sentence = [nodePlace(inquiry, target.node), ...(own === undefined ? [] : [own])];
  const lead: Sentence =
    uses.length === 0
      ? ['Nothing that calls, uses or imports ', ...subject, ' is known.']
      : [
          'A change of ',
          ...subject,
          ` touches ${uses.length} direct ${uses.length === 1 ? 'dependent' : 'dependents'}: `,
          ...joined(named, uses.length),
          '.',
        ];
  const owners = impact.owners.slice(0, max.people).map(({ node }) => [plainText(node.name)]);
  const issues = impact.issues
    .slice(0, max.people)
    .map(({ node }) => recordSentence(inquiry, node, 'open issue'));
  const incidents = impact.incidents
    .slice(0, max.people)
    .map(({ node }) => recordSentence(inquiry, node, 'open incident'));
  const reasons: Sentence[] = [
    ...(owners.length === 0 ? [] : [['Owned by ', ...joined(owners, impact.owners.length), '.']]),
    ...(issues.length === 0
      ? []
      : [['Open issues about it: ', ...joined(issues, impact.issues.length), '.']]),
    ...(incidents.length === 0
      ? []
      : [['Open incidents about it: ', ...joined(incidents, impact.incidents.length), '.']]),
  ];
  return { key: target.node.key, lead, reasons, uses: uses.length, truncated: impact.truncated };
}
