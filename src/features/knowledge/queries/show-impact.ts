import type { Fresh, GraphNode, GraphReader } from '../../../backends/graph/port.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { certainConfidence } from '../certainty.ts';
import { fileKey, placeOfKey } from '../links/keys.ts';
import { commitsTouching } from './commits-before.ts';
import { findOwners, findServices } from './find-owners.ts';
import { maxSymbols } from './frame-symbols.ts';
import {
  isOpen,
  keysOf,
  merged,
  possibleEdges,
  type RelatedNode,
  reached,
  requireNode,
  step,
} from './related-node.ts';

export interface Impact extends Fresh {
  readonly target: GraphNode;
  /** Symbols and files that certainly call, use, inherit or import it. */
  readonly dependents: readonly RelatedNode[];
  /** Those that possibly do, and are not followed. */
  readonly possible: readonly RelatedNode[];
  readonly owners: readonly RelatedNode[];
  /** Commits that touched its file, the newest first. */
  readonly commits: readonly RelatedNode[];
  /** Open issues that mention it, or that a commit to its file mentions. */
  readonly issues: readonly RelatedNode[];
  /** Open incidents whose stack frames or notes name it, or that affect a service of its repository. */
  readonly incidents: readonly RelatedNode[];
  readonly truncated: boolean;
}

/** Maximum number of commits. */
const maxCommits = 100;
/** Maximum number of possible uses that are counted. */
const maxPossible = 200;

/**
 * Returns what a change of a file or symbol touches. @throws NotFound; InvalidInput for a key of another kind
 */
export async function showImpact(graph: GraphReader, scope: OrgScope, key: string): Promise<Impact> {
  const place = placeOfKey(key);
  if (place === undefined) throw new InvalidInput('Only a file or a symbol has an impact.');
  const target = await requireNode(graph, scope, key);
  const file = fileKey(place.repositoryId, place.path);

  const inside = await graph.neighbours(scope, {
    from: [key],
    direction: 'out',
    kinds: ['contains'],
    depth: 1,
    perNode: maxSymbols,
    limit: maxSymbols + 1,
  });
  const own = [key, ...keysOf(reached(inside, [key], ['symbol']))];
  const using = { from: own, direction: 'in', kinds: ['calls', 'uses', 'inherits', 'imports'] } as const;
  const uses = await step(graph, scope, { ...using, minConfidence: certainConfidence });
  const dependents = reached(uses, own, ['symbol', 'file']);
  const unsure = await possibleEdges(graph, scope, { ...using, certain: uses, limit: maxPossible });
  const isCertain = new Set(keysOf(dependents));
  const places = [...new Set([...own, file])];
  const naming = await step(graph, scope, {
    from: places,
    direction: 'in',
    kinds: ['mentions', 'fails_in'],
  });
  const touching = await commitsTouching(graph, scope, [file]);
  const commits = touching.commits.slice(0, maxCommits);
  const changes = keysOf(commits);
  const tracked =
    changes.length === 0
      ? undefined
      : await step(graph, scope, { from: changes, direction: 'out', kinds: ['mentions', 'closes'] });
  const implemented = await findServices(graph, scope, place.repositoryId);
  const { services } = implemented;
  const affecting =
    services.length === 0
      ? undefined
      : await step(graph, scope, { from: services, direction: 'in', kinds: ['affects'] });
  const owners = await findOwners(graph, scope, place);
  return {
    target,
    dependents,
    possible: reached(unsure, own, ['symbol', 'file']).filter(({ node }) => !isCertain.has(node.key)),
    owners: owners.owners,
    commits,
    issues: merged(
      reached(naming, places, ['issue']),
      tracked === undefined ? [] : reached(tracked, changes, ['issue']),
    ).filter(isOpen),
    incidents: merged(
      reached(naming, places, ['incident']),
      affecting === undefined ? [] : reached(affecting, services, ['incident']),
    ).filter(isOpen),
    truncated:
      touching.commits.length > maxCommits ||
      [inside, uses, unsure, naming, touching, tracked, implemented, affecting, owners].some(
        (each) => each?.truncated === true,
      ),
    freshness: owners.freshness,
  };
}
