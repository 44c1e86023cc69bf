import type {
  EdgeFact,
  GraphFacts,
  GraphUnit,
  Mention,
  NodeFact,
  Properties,
} from '../../../src/backends/graph/port.ts';
import type { OrganizationId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';

export const ours: OrgScope = { organizationId: 'org-ours' as OrganizationId, orgSlug: 'ours' };
export const theirs: OrgScope = { organizationId: 'org-theirs' as OrganizationId, orgSlug: 'theirs' };

export function node(key: string, name: string, props: Properties = {}): NodeFact {
  return { key, kind: key.slice(0, key.indexOf(':')), name, props };
}

export function edge(from: string, kind: string, to: string, confidence = 100, rule = 'rule'): EdgeFact {
  return { from, kind, to, rule, evidence: `${rule} of ${from}`, confidence };
}

export function mention(from: string, kind: string, name: string, confidence = 90): Mention {
  return { from, kind, name, rule: 'identifier', evidence: 'message', confidence };
}

export function unit(
  owner: string,
  facts: Partial<GraphFacts>,
  { repositoryId = 'r1', revision = 'v1' }: { repositoryId?: string; revision?: string } = {},
): GraphUnit {
  return { owner, repositoryId, revision, facts: { nodes: [], edges: [], mentions: [], ...facts } };
}

/** A file `path` of repository `r1` with one symbol of each name, which calls the given symbols. */
export function file(path: string, symbols: readonly string[], calls: readonly string[] = []): GraphUnit {
  const key = `file:r1:${path}`;
  const symbolKey = (name: string): string => `symbol:r1:${path}#${name}/function`;
  return unit(key, {
    nodes: [node(key, path), ...symbols.map((name) => node(symbolKey(name), name, { path }))],
    edges: [
      ...symbols.map((name) => edge(key, 'contains', symbolKey(name))),
      ...calls.map((target) => edge(symbolKey(symbols[0] ?? ''), 'calls', target, 90, 'imported-name')),
    ],
  });
}

/** An issue with its identifier as an alias. */
export function issue(id: string, identifier: string): GraphUnit {
  const key = `issue:c1:${id}`;
  return unit(`file:context:${id}`, {
    nodes: [node(key, `Issue ${id}`), node(`alias:${identifier}`, identifier)],
    edges: [edge(`alias:${identifier}`, 'alias_of', key)],
  });
}
