import { expect, it } from 'vitest';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import { definitionsInPackage } from './package-name.ts';

const repositories = [
  { id: 'r1' as RepositoryId, name: 'acme/shop' },
  { id: 'r2' as RepositoryId, name: 'acme/caddy' },
];
const definitions = [
  ['r1', 'app/src/main/kotlin/okhttp3/Call.kt', 'Call'],
  ['r1', 'app/src/main/kotlin/okhttp3/internal/Call.kt', 'Call'],
  ['r1', 'app/src/main/kotlin/okhttp3/Client.kt', 'Client.open'],
  ['r1', 'tokio-util/src/sync/lock.rs', 'Lock'],
  ['r1', 'src/Acme/Log/Writer.php', 'Writer'],
  ['r1', 'shop/leases/base.py', 'Lease.renew'],
  ['r2', 'context.go', 'Context'],
  ['r2', 'server/src/caddy/context.go', 'Listener'],
  ['r2', 'listener.go', 'Listener'],
  ['r3', 'src/okhttp3/Call.kt', 'Call'],
  ['r2', 'other/context.go', 'Context'],
].map(([repositoryId, path, qualifiedName]) => ({ repositoryId, path, qualifiedName }) as DefinedName);

it.each([
  ['okhttp3.Call', ['app/src/main/kotlin/okhttp3/Call.kt']],
  ['okhttp3.internal.Call', ['app/src/main/kotlin/okhttp3/internal/Call.kt']],
  ['internal.okhttp3.Call', []],
  ['okhttp3.Client.open', ['app/src/main/kotlin/okhttp3/Client.kt']],
  ['okhttp3.open', []],
  ['tokio_util.sync.Lock', ['tokio-util/src/sync/lock.rs']],
  ['Acme.Log.Writer', ['src/Acme/Log/Writer.php']],
  ['shop.leases.base.Lease.renew', ['shop/leases/base.py']],
  ['shop.Lease.renew', ['shop/leases/base.py']],
  ['caddy.Context', ['context.go']],
  // A folder says more than the name of a repository.
  ['caddy.Listener', ['server/src/caddy/context.go']],
  ['.Context', []],
  ['Context', []],
  ['caddy.acme.Context', []],
  ['kotlin.text.Call', []],
])('finds %s by its package', (qualified, paths) => {
  expect(definitionsInPackage(definitions, qualified, repositories).map(({ path }) => path)).toEqual(paths);
});

it('reads a long name once for many definitions', () => {
  const many = Array.from({ length: 1_000 }, () => definitions[0]!);
  const started = process.cpuUsage();
  expect(definitionsInPackage(many, `${'a.'.repeat(100_000)}Call`, repositories)).toEqual([]);
  expect(process.cpuUsage(started).user).toBeLessThan(500_000);
});
