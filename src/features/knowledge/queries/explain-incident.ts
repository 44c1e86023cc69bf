import type { Fresh, GraphNode, GraphReader } from '../../../backends/graph/port.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { commitsBefore } from './commits-before.ts';
import { withFrameSymbols } from './frame-symbols.ts';
import { keysOf, merged, type RelatedNode, reached, requireNode, step } from './related-node.ts';

export interface IncidentContext extends Fresh {
  readonly incident: GraphNode;
  readonly services: readonly RelatedNode[];
  readonly repositories: readonly RelatedNode[];
  /** Files and symbols that its stack frames and text name; after the file of a frame the symbol at its line. */
  readonly places: readonly RelatedNode[];
  /** Commits that touched these files before it, the newest first. Candidates: nothing says that one is the cause. */
  readonly commits: readonly RelatedNode[];
  readonly issues: readonly RelatedNode[];
  readonly pulls: readonly RelatedNode[];
  /** The people who are assigned, own a service or file, or wrote a commit. */
  readonly people: readonly RelatedNode[];
  readonly truncated: boolean;
}

/**
 * Follows an incident to its services, repositories, files, issues and people.
 * @throws NotFound; InvalidInput for a key of another kind
 */
export async function explainIncident(
  graph: GraphReader,
  scope: OrgScope,
  key: string,
): Promise<IncidentContext> {
  if (!key.startsWith('incident:')) throw new InvalidInput('This is not the key of an incident.');
  const incident = await requireNode(graph, scope, key);
  const first = await step(graph, scope, {
    from: [key],
    direction: 'both',
    kinds: ['affects', 'fails_in', 'mentions', 'assigned_to', 'closes'],
  });
  const services = reached(first, [key], ['service']);
  const places = await withFrameSymbols(graph, scope, reached(first, [key], ['file', 'symbol']));
  const [ofServices, ofPlaces] = [keysOf(services), keysOf(places)];
  const implementing = await step(graph, scope, {
    from: [...ofServices, key],
    direction: 'both',
    kinds: ['implements', 'same_as'],
  });
  const around = await step(graph, scope, {
    from: [...ofPlaces, ...ofServices, key],
    direction: 'both',
    kinds: ['owned_by'],
  });
  const files = keysOf(places.filter(({ node }) => node.kind === 'file'));
  const before = await commitsBefore(graph, scope, files, incident);
  const { commits } = before;
  const changes = keysOf(commits);
  const work =
    changes.length === 0
      ? undefined
      : await step(graph, scope, {
          from: changes,
          direction: 'out',
          kinds: ['mentions', 'closes', 'part_of', 'authored_by'],
        });
  const further = (kinds: readonly GraphNode['kind'][]): readonly RelatedNode[] =>
    work === undefined ? [] : reached(work, changes, kinds);
  return {
    incident,
    services,
    repositories: reached(implementing, ofServices, ['repo']),
    places,
    commits,
    issues: merged(reached(first, [key], ['issue']), further(['issue'])),
    pulls: merged(reached(first, [key], ['pr']), further(['pr'])),
    people: merged(
      reached(first, [key], ['person', 'team']),
      reached(around, [...ofPlaces, ...ofServices], ['person', 'team']),
      further(['person']),
    ),
    truncated: [first, implementing, around, before, work].some((each) => each?.truncated === true),
    freshness: first.freshness,
  };
}
