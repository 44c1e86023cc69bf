import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { openDerived } from '../../../foundation/db/derived/open-derived.ts';
import { projectionSchema } from './projection-schema.ts';
import { UnparsedBlobs } from './unparsed-blobs.ts';

it('forgets the blobs that failed by former rules', async () => {
  const file = join(temporaryFolder(), 'derived.db');
  const derived = await openDerived({ dialect: 'sqlite', file }, [projectionSchema], silentLog);
  onTestFinished(() => derived.close());
  const known = await UnparsedBlobs.read(derived, 'repository');
  await known.remember([
    { path: 'a.ts', oid: 'one', failed: 'crashed' },
    { path: 'b.ts', oid: 'two', failed: 'too_slow' },
  ]);
  const blobs = () => derived.queries.selectFrom('unparsed_blobs').select('reason').execute();
  await derived.queries
    .updateTable('unparsed_blobs')
    .set({ rules: 0 })
    .where('reason', '=', 'crashed')
    .execute();
  const again = await UnparsedBlobs.read(derived, 'repository');
  expect([again.reasonOf('a.ts', 'one'), again.reasonOf('b.ts', 'two')]).toEqual([undefined, 'too_slow']);
  expect(await blobs()).toEqual([{ reason: 'too_slow' }]);
});
