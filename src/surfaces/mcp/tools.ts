import { listRepositories } from './tools/list-repositories.ts';
import { listTree } from './tools/list-tree.ts';
import { readFile } from './tools/read-file.ts';
import { searchCode } from './tools/search-code.ts';
import { status } from './tools/status.ts';
import { svcAdvisor } from './tools/svc-advisor.ts';
import type { Tool } from './tools/tool.ts';

/** Every tool of the service, the advisor first. One page: some clients never ask for a second. */
export const tools: readonly Tool[] = [svcAdvisor, searchCode, readFile, listRepositories, listTree, status];
