import { z } from 'zod';
import { entityOfResource } from '../../../features/knowledge/entity-uri.ts';
import { commitKey, fileKey } from '../../../features/knowledge/links/keys.ts';
import { symbolAt } from '../../../features/knowledge/queries/file-definitions.ts';
import { type Place, parseAddress, placeOfUri } from '../../../features/search/address.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { McpDeps } from '../deps.ts';

/** The argument of a tool that `entityOfAddress` reads. */
export const entityArgument = z
  .string()
  .min(1)
  .max(3072)
  .describe(
    'An address (repository/path:10, ctx://…), an identifier such as ENG-123, or a key from another answer.',
  );

type Deps = Pick<McpDeps, 'knowledge'>;

/**
 * Returns the key or identifier of the file, symbol, commit or record that an address names. Keys and identifiers are
 * returned unchanged, and so are `ctx://` addresses of unknown form. The commit of a file's address does not matter: the
 * knowledge graph has the file as of its newest commit. Lines mean the innermost definition that has the first one, and
 * `repository@commit` a commit.
 * @throws InvalidInput for an address of no repository of the caller, naming the nearest right one
 */
export async function entityOfAddress(deps: Deps, scope: OrgScope, text: string): Promise<string> {
  const names = await deps.knowledge.repositoryNames(scope);
  const idOf = (repository: string): string | undefined =>
    [...names].find(([, known]) => known === repository)?.[0];
  if (text.startsWith('ctx://')) return (await entityOfUri(deps, scope, text, idOf)) ?? text;
  const [, repository = '', commit] = /^([^@]+)@([\da-f]{7,64})$/i.exec(text) ?? [];
  const committed = commit === undefined ? undefined : idOf(repository);
  if (commit !== undefined && committed !== undefined) return commitKey(committed, commit);
  // Keys begin with their kind and a colon, and identifiers have no slash.
  if (/^[a-z]+:/.test(text) || !text.includes('/')) return text;
  const place = parseAddress(text, [...names.values()]);
  return entityAt(deps, scope, place, idOf(place.repository) ?? '');
}

type IdOf = (repository: string) => string | undefined;

async function entityOfUri(
  deps: Deps,
  scope: OrgScope,
  uri: string,
  idOf: IdOf,
): Promise<string | undefined> {
  const place = placeOfUri(uri);
  if (place !== undefined) {
    const id = idOf(place.repository);
    return id === undefined ? undefined : entityAt(deps, scope, place, id);
  }
  const [, repository, commit] = /^ctx:\/\/repo\/([^?#]+)\/commit\/([0-9a-f]{7,64})$/i.exec(uri) ?? [];
  const [, kind, record] = /^ctx:\/\/(?:tracker|oncall)\/([^/]+)\/([^?#]+)$/.exec(uri) ?? [];
  try {
    if (repository !== undefined && commit !== undefined) {
      const id = idOf(decodeURIComponent(repository));
      return id === undefined ? undefined : commitKey(id, commit);
    }
    if (kind === undefined || record === undefined) return undefined;
    return entityOfResource(kind, decodeURIComponent(record));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

async function entityAt(
  { knowledge }: Deps,
  scope: OrgScope,
  { path, lines }: Place,
  repositoryId: string,
): Promise<string> {
  const file = fileKey(repositoryId, path);
  if (lines === undefined) return file;
  return (await symbolAt(knowledge, scope, file, lines.first)) ?? file;
}
