import { findReferences } from './find-references.ts';
import { findRelated } from './find-related.ts';
import { findSymbol } from './find-symbol.ts';
import { getEntity } from './get-entity.ts';
import { history } from './history.ts';
import { indexStatus } from './index-status.ts';
import { listRepositories } from './list-repositories.ts';
import { listTree } from './list-tree.ts';
import { readFile } from './read-file.ts';
import { searchCode } from './search-code.ts';
import { searchEntities } from './search-entities.ts';
import { showCommit } from './show-commit.ts';
import { svcAdvisor } from './svc-advisor.ts';
import type { Tool, ToolContext } from './tool.ts';

/** The tools that need only the organization of the caller: a language model that writes answers gets them too. */
export const readingTools: readonly Tool<ToolContext>[] = [
  searchCode,
  findSymbol,
  findReferences,
  readFile,
  history,
  showCommit,
  listRepositories,
  listTree,
  searchEntities,
  getEntity,
  findRelated,
];

/**
 * All tools of the service, the advisor first. They fit on one page, because some clients never request a second one.
 */
export const tools: readonly Tool[] = [svcAdvisor, ...readingTools, indexStatus];
