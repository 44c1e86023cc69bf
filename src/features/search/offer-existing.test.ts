import { beforeAll, expect, it } from 'vitest';
import { memorySources, type ScannedCode } from '../../../test/support/codesearch/scanned-code.ts';
import { seedOrganization, seedRepository } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import { parsePlace } from './address.ts';
import { offerExisting } from './offer-existing.ts';

const never = new AbortController().signal;
const commit = '0123abc'.padEnd(40, '4');

async function openWorld(database: Database) {
  const scope = await seedOrganization(database, 'ours');
  const code = new Map<RepositoryId, ReturnType<ScannedCode['get']> & {}>();
  const add = async (name: string, ...paths: readonly string[]) => {
    const id = await seedRepository(database, scope, { name, indexedCommit: commit });
    const files = Object.fromEntries(paths.map((path) => [path, 'one\ntwo\n']));
    code.set(id, { scope, commit, files });
  };
  await add('flask', 'src/flask/app.py', 'src/flask/json/tag.py', 'src/a:7', 'README.md');
  await add('acme/orders', 'lib/a.go', 'README.md', 'both.go');
  await add('broken', 'damaged', 'both.go');
  const names = ['flask', 'broken', 'acme/orders', 'new'];
  await seedRepository(database, scope, { name: 'new', state: 'cloning' });
  const deps = { sources: memorySources(code), queries: database.queries };
  const { sources } = deps;
  const isDamaged: typeof sources.readFile = async (of, request, signal) => {
    if (request.path === 'both.go' && code.get(request.repository)?.files['damaged'] !== undefined)
      throw new Error('damaged');
    return sources.readFile(of, request, signal);
  };
  const reading = { ...deps, sources: { ...sources, readFile: isDamaged } };
  return (text: string) => offerExisting(reading, scope, () => parsePlace(text, names), never);
}

describeEachDatabase('an address of no repository', (open) => {
  let find: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    find = await openWorld(await open());
  });

  it.each([
    ['src/flask/app.py', 'did you mean `flask/src/flask/app.py`?'],
    ['src/flask/json:2-3', 'did you mean `flask/src/flask/json:2-3`?'],
    ['pallets/flask/src/flask/app.py:3', 'did you mean `flask/src/flask/app.py:3`?'],
    ['flaks/src/flask/app.py', 'did you mean `flask/src/flask/app.py`?'],
    [`flaks/README.md@${commit}`, `did you mean \`flask/README.md@${commit}\`?`],
    ['lib/a.go', 'did you mean `acme/orders/lib/a.go`?'],
    ['README.md', 'did you mean `flask/README.md` or `acme/orders/README.md`?'],
    ['ctx://repo/flaks/file/src/a%3A7#L2', 'did you mean `ctx://repo/flask/file/src/a%3A7#L2`?'],
    ['https://git.example/acme/order/blob/main/lib/a.go#L2', 'did you mean `acme/orders/lib/a.go:2`?'],
    ['src/flask/gone.py', 'did you mean a path in `flask`?'],
    ['flaks/src/gone.py', 'did you mean a path in `flask`?'],
    ['src/gone.py', 'list the repositories'],
    ['both.go', 'did you mean `acme/orders/both.go`?'],
    ['./src//flask/app.py', 'did you mean `flask/src/flask/app.py`?'],
    ['/', 'list the repositories'],
    ['src/../README.md', 'list the repositories'],
    ['README.md:9-3', 'list the repositories'],
    [`lib/${'a'.repeat(9_000)}`, 'list the repositories'],
    ['flaks@0123abd', 'did you mean a path in `flask`?'],
  ])('offers only what exists: %s', async (text, advice) => {
    await expect(find(text)).rejects.toThrow(advice);
  });

  it('stays as it is if a repository has it', async () => {
    expect(await find('flask/gone.py')).toEqual({ repository: 'flask', path: 'gone.py' });
  });
});
