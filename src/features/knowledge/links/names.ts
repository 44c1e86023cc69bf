import { createHash } from 'node:crypto';
import type { Ecosystem } from '../../../backends/languages/port.ts';
import { packageId } from '../packages/ecosystems.ts';

/*
 * The names by which mentions find nodes. An identifier of an issue, such as `ENG-12`, stands for itself; all other
 * names begin with a word and a colon, so that no file of a repository can claim the name of an issue.
 */

export const pathName = (path: string): string => `path:${path}`;

export const symbolName = (name: string): string => `name:${name}`;

/** The name of a pull request at its host: `hosted` is host and path of the repository. */
export const pullName = (hosted: string, number: number | string): string =>
  `pull:${hosted.toLowerCase()}#${number}`;

/** The name of a package, which its manifest provides. */
export const packageName = (ecosystem: Ecosystem, name: string): string =>
  `package:${ecosystem}:${packageId(ecosystem, name)}`;

/** The name by which other repositories import a definition, such as `@acme/client.Client`. */
export const exportName = (ecosystem: Ecosystem, name: string): string => `export:${ecosystem}:${name}`;

export const serviceName = (id: string): string => `service:${id}`;

/** An address is a hash in the graph, so that reading the graph discloses none. */
export function emailHash(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('hex').slice(0, 32);
}
