import { z } from 'zod';
import { entityOfRecord } from '../../../features/knowledge/entity-uri.ts';
import { commitKey, fileKey, repoKey } from '../../../features/knowledge/links/keys.ts';
import { symbolAt } from '../../../features/knowledge/queries/file-definitions.ts';
import { parsePlace } from '../../../features/search/address.ts';
import { offerExisting } from '../../../features/search/offer-existing.ts';
import { readSource } from '../../../features/search/read-source.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { isResourceUri, parseResourceUri } from '../../../foundation/kernel/wire/resource-uri.ts';
import type { McpDeps } from '../deps.ts';

/** The argument of a tool that `entityOfAddress` reads. */
export const entityArgument = z
  .string()
  .min(1)
  .max(3072)
  .describe(
    'An address (repository/path:10, repository@commit, ctx://…), an identifier (ENG-123) or a key from an answer.',
  );

/**
 * Returns the key or identifier of the file, symbol, commit or record that an address names. Keys and identifiers are
 * returned unchanged, and so are `ctx://` addresses of unknown form. The commit of a file's address does not matter:
 * the knowledge graph has the file as of its newest commit. Lines mean the innermost definition that has the first one.
 * @throws InvalidInput for an address of no repository of the caller, naming the nearest right one, and for lines past
 * the end; NotFound for lines of a file that does not exist
 */
export async function entityOfAddress(
  { knowledge, answers }: Pick<McpDeps, 'knowledge' | 'answers'>,
  scope: OrgScope,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  const resource = parseResourceUri(text);
  if (resource?.kind === 'record') return entityOfRecord(knowledge.records, resource) ?? text;
  if (resource === undefined && !isPlace(text)) return text;
  const names = await knowledge.repositoryNames(scope);
  const parse = () => parsePlace(text, [...names.values()]);
  const place = await offerExisting(answers, scope, parse, signal);
  const { repository, path, commit, lines } = place;
  const [id = ''] = [...names].find(([, name]) => name === repository) ?? [];
  if (path === '') return commit === undefined ? repoKey(id) : commitKey(id, commit);
  const file = fileKey(id, path);
  if (lines === undefined) return file;
  const symbol = await symbolAt(knowledge, scope, file, lines.first);
  if (symbol !== undefined) return symbol;
  await readSource(answers, scope, { ...place, lines: { first: lines.first, last: lines.first } }, signal);
  return file;
}

/** Returns whether a text is no key, which begins with its kind and a colon, and no identifier, which has no slash. */
function isPlace(text: string): boolean {
  if (isResourceUri(text) || /^[a-z]+:/.test(text)) return false;
  return text.includes('/') || /@[\da-f]{7,64}$/i.test(text);
}
