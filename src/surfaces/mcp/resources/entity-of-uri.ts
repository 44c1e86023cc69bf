import { entityOfResource } from '../../../features/knowledge/entity-uri.ts';
import type { KnowledgeDeps } from '../../../features/knowledge/knowledge-deps.ts';
import { commitKey } from '../../../features/knowledge/links/keys.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';

/**
 * Returns the key or identifier that a `ctx://` address of a record or commit names. Other text is returned unchanged,
 * and so is the address of a commit in a repository that cannot be searched.
 */
export async function entityOfUri(knowledge: KnowledgeDeps, scope: OrgScope, text: string): Promise<string> {
  const [, repository, commit] =
    /^ctx:\/\/repo\/([^?#]+)\/commit\/([0-9a-f]{40}|[0-9a-f]{64})$/.exec(text) ?? [];
  const [, kind, id] = /^ctx:\/\/(?:tracker|oncall)\/([^/]+)\/([^?#]+)$/.exec(text) ?? [];
  try {
    if (repository !== undefined && commit !== undefined) {
      const name = decodeURIComponent(repository);
      const found = [...(await knowledge.repositoryNames(scope))].find(([, known]) => known === name);
      return found === undefined ? text : commitKey(found[0], commit);
    }
    return kind === undefined || id === undefined ? text : entityOfResource(kind, decodeURIComponent(id));
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
