import { expect, it } from 'vitest';
import { type MirrorTargetId, newId, type OrganizationId } from '../../../../foundation/kernel/ids.ts';
import { judgeMirror } from './judge-mirror.ts';

const idle = { waiting: 0, bytes: 0, oldestMs: 0, refused: [] };
const refused = {
  id: newId<MirrorTargetId>(),
  organizationId: newId<OrganizationId>(),
  githostConnectionId: undefined,
  hostRepositoryId: undefined,
  source: 'https://git.example.com/acme/context',
  branch: 'main',
  head: undefined,
  pushing: undefined,
  compared: undefined,
  committedAt: undefined,
  error: {
    code: 'git_protected_branch',
    message: 'The branch main is protected.',
    permanent: true,
    at: 0,
    failures: 1,
  },
};

it.each([
  ['no waiting file', idle, 'pass'],
  ['files that have waited for a minute', { ...idle, waiting: 9, oldestMs: 60_000 }, 'pass'],
  ['files that have waited for 31 minutes', { ...idle, waiting: 1, oldestMs: 31 * 60_000 }, 'warning'],
  ['a target that refuses commits', { ...idle, refused: [refused] }, 'warning'],
])('judges %s', (_what, status, outcome) => {
  expect(judgeMirror(status)).toMatchObject({ status: outcome });
});

it('names a target that refuses commits, with the reason and the next step', () => {
  const { message, hint } = judgeMirror({ ...idle, waiting: 4, refused: [refused] });
  expect(message).toContain('https://git.example.com/acme/context (main): The branch main is protected.');
  expect(hint).toContain('orgctx connector sync NAME');
});
