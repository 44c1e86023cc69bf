import type { Queries } from '../../../foundation/db/database.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import { findNested } from '../repository-store.ts';

/**
 * Refuses the name of a repository that makes addresses ambiguous, because another name is a folder of it, or the other
 * way round. The organization must be locked since before the first change: transactions that changed something first
 * could wait for each other. @throws InvalidInput naming the other repository if the caller may read it
 */
export async function refuseNested(
  tx: Queries,
  scope: OrgScope,
  repository: { readonly id: RepositoryId; readonly name: string },
): Promise<void> {
  const other = await findNested(tx, scope, repository);
  if (other === undefined) return;
  const isReadable = scope.repositories?.has(other.id) ?? true;
  const existing = isReadable ? `\`${other.name}\` exists` : 'another repository exists with a part of it';
  const longer = isReadable && other.name.length > repository.name.length ? other.name : repository.name;
  const message = `makes addresses ambiguous: ${existing}, and \`${longer}/…\` could be a file of either; choose another name`;
  throw invalidField('name', message, `The repository name \`${repository.name}\` ${message}.`);
}
