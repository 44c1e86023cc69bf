import { join } from 'node:path';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';

/**
 * The bare mirror of a repository under `root`. Ids come from the other side of the network and become names of folders.
 * @throws InvalidInput for what is no id
 */
export function hostedMirror(root: string, organizationId: string, repositoryId: string): string {
  return join(root, checkedId(organizationId), `${checkedId(repositoryId)}.git`);
}

export function isHostedId(text: string): boolean {
  return /^[\w-]{1,128}$/.test(text);
}

function checkedId(text: string): string {
  if (isHostedId(text)) return text;
  throw new InvalidInput('An id has nothing but letters, digits, - and _ in it.');
}
