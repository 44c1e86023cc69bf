import { mirrorStatus } from '../../../mirror/mirror-target-store.ts';
import type { DatabaseCheck } from '../check.ts';
import { judgeMirror } from './judge-mirror.ts';

export const mirrorCheck: DatabaseCheck = {
  id: 'mirror',
  title: 'Context repositories',
  run: async ({ database, clock }) => judgeMirror(await mirrorStatus(database.queries, clock)),
};
