import { expect, it } from 'vitest';
import { type MirrorTargetId, newId, type OrganizationId } from '../../../../foundation/kernel/ids.ts';
import { judgeMirror } from './judge-mirror.ts';

const idle = { waiting: 0, bytes: 0, oldestMs: 0, refused: [] };
const refused = {
  id: newId<MirrorTargetId>(),
  organizationId: newId<OrganizationId>(),
  githostConnectionId: undefined,
  source: 'https://git.example.com/acme/context',
  branch: 'main',
  head: undefined,
  committedAt: undefined,
  error: { code: 'git_protected_branch', message: 'The branch main is protected.', permanent: true, at: 0 },
};

it.each([
  ['nothing that waits', idle, 'pass'],
  ['files that wait a little', { ...idle, waiting: 9, oldestMs: 60_000 }, 'pass'],
  ['files that wait for long', { ...idle, waiting: 1, oldestMs: 31 * 60_000 }, 'warning'],
  ['a target that takes no commits', { ...idle, refused: [refused] }, 'warning'],
])('mirroring with %s is judged', (_what, status, verdict) => {
  expect(judgeMirror(status)).toMatchObject({ status: verdict });
});

it('a target that takes no commits is named with the reason and the next step', () => {
  const { message, hint } = judgeMirror({ ...idle, waiting: 4, refused: [refused] });
  expect(message).toContain('https://git.example.com/acme/context (main): The branch main is protected.');
  expect(hint).toContain('orgctx jobs retry');
});
