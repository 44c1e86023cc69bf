import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../test/support/database/databases.ts';
import { createRepository } from '../../test/support/git/git-repository.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { setRepository } from '../features/repositories/setup/set-repository.ts';
import { systemClock as clock } from '../foundation/kernel/clock.ts';
import { provisionOrganization, provisionRepository } from './provision.ts';

describeEachDatabase('the repository of quickstart', (open) => {
  it('is reused for the same source, also after another branch was set', async () => {
    const database = await open();
    const dataDir = join(temporaryFolder(), 'data');
    const { folder } = createRepository({ 'README.md': '# Shop\n' });
    const { scope } = await provisionOrganization(database, 'local');
    const provision = () => provisionRepository(database, scope, folder, { dataDir, outbound });
    const { id } = await provision();
    expect((await provision()).id).toBe(id);
    const deps = { database, clock, allowLocal: true, allowHosts: [], dataDir };
    await setRepository(deps, scope, { kind: 'host' }, id, { branch: 'main' });
    expect(await provision()).toMatchObject({ id, branch: 'main' });
  });
});

const outbound = { allowHosts: [] };
