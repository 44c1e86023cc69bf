import { findSymbol } from './find-symbol.ts';
import { listRepositories } from './list-repositories.ts';
import { listTree } from './list-tree.ts';
import { readFile } from './read-file.ts';
import { searchCode } from './search-code.ts';
import { status } from './status.ts';
import { svcAdvisor } from './svc-advisor.ts';
import type { Tool } from './tool.ts';

/** Every tool of the service, the advisor first. One page: some clients never ask for a second. */
export const tools: readonly Tool[] = [
  svcAdvisor,
  searchCode,
  findSymbol,
  readFile,
  listRepositories,
  listTree,
  status,
];
