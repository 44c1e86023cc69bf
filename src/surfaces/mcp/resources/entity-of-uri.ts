import { z } from 'zod';
import { entityOfResource } from '../../../features/knowledge/entity-uri.ts';
import type { KnowledgeDeps } from '../../../features/knowledge/knowledge-deps.ts';
import { commitKey, fileKey } from '../../../features/knowledge/links/keys.ts';
import { placeOfUri } from '../../../features/search/address.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';

/** The argument of a tool that `entityOfUri` reads. */
export const entityArgument = z
  .string()
  .min(1)
  .max(3072)
  .describe('A key from another answer, an identifier such as ENG-123, or a ctx:// address.');

/**
 * Returns the key or identifier that a `ctx://` address of a file, commit or record names. Other text is returned
 * unchanged, and so are addresses in a repository that cannot be searched. The commit and lines of a file's address do
 * not matter: the knowledge graph has the file as of its newest commit.
 */
export async function entityOfUri(knowledge: KnowledgeDeps, scope: OrgScope, text: string): Promise<string> {
  const key = async (repository: string, keyIn: (id: string) => string) => {
    const found = [...(await knowledge.repositoryNames(scope))].find(([, known]) => known === repository);
    return found === undefined ? text : keyIn(found[0]);
  };
  const file = placeOfUri(text);
  if (file !== undefined) return await key(file.repository, (id) => fileKey(id, file.path));
  const [, repository, commit] = /^ctx:\/\/repo\/([^?#]+)\/commit\/([0-9a-f]{7,64})$/i.exec(text) ?? [];
  const [, kind, id] = /^ctx:\/\/(?:tracker|oncall)\/([^/]+)\/([^?#]+)$/.exec(text) ?? [];
  try {
    if (repository !== undefined && commit !== undefined)
      return await key(decodeURIComponent(repository), (repositoryId) => commitKey(repositoryId, commit));
    return kind === undefined || id === undefined ? text : entityOfResource(kind, decodeURIComponent(id));
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
