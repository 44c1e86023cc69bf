import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId, type OrganizationId, type RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import {
  type CodeSearchProcess,
  remoteAt,
  startCodeSearchProcess,
} from '../../support/codesearch/codesearch-process.ts';
import { indexRequest } from '../../support/codesearch/index-request.ts';
import { createSourceRepository } from '../../support/git/source-repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { patient } from './query.ts';
import { describeSourceReader, type SourceReaderWorld } from './source-reader.ts';

const scope = { organizationId: newId<OrganizationId>(), orgSlug: 'ours' };
const foreignScope = { organizationId: newId<OrganizationId>(), orgSlug: 'theirs' };
const repository = newId<RepositoryId>();
let service: CodeSearchProcess;
let remote: ReturnType<typeof remoteAt>;
let world: SourceReaderWorld;

beforeAll(async () => {
  service = await startCodeSearchProcess(temporaryFolder());
  remote = remoteAt(service.url);
  const { source, first, indexed } = createSourceRepository();
  const gitDir = join(source.folder, '.git');
  await remote.index.apply(indexRequest({ scope, repository, gitDir, to: indexed }), patient);
  world = { reader: remote.sources, scope, foreignScope, repository, first, indexed };
});

afterAll(async () => {
  await remote?.close();
  await service?.stop();
});

describeSourceReader('code search service', async () => world);

it('finds no removed repository', async () => {
  const { source, indexed } = createSourceRepository();
  const id = newId<RepositoryId>();
  const request = indexRequest({ scope, repository: id, gitDir: join(source.folder, '.git'), to: indexed });
  await remote.index.apply(request, patient);
  const read = () =>
    remote.sources.readFile(scope, { repository: id, path: 'src/a.ts', commit: indexed }, patient);
  expect(await read()).toMatchObject({ content: 'changed\n' });
  await remote.index.remove(scope, id);
  expect(await read()).toBeUndefined();
});
