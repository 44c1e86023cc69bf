import { afterAll, beforeAll } from 'vitest';
import {
  type CodeSearchProcess,
  remoteAt,
  startCodeSearchProcess,
} from '../../support/codesearch/codesearch-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { describeCodeSearch } from './codesearch.ts';

let service: CodeSearchProcess;
let remote: ReturnType<typeof remoteAt>;

beforeAll(async () => {
  service = await startCodeSearchProcess(temporaryFolder());
  remote = remoteAt(service.url);
});

afterAll(async () => {
  await remote?.close();
  await service?.stop();
});

describeCodeSearch('remote', async () => ({ index: remote.index, search: remote.search }));
