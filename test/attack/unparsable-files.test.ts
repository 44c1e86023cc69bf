import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { derivedSchemas } from '../../src/app/open/open-database.ts';
import { openProjectedRepositories } from '../../src/app/open/open-projection.ts';
import { concurrency } from '../../src/app/processes/worker.ts';
import { openGraphWriter } from '../../src/backends/graph/sql/open-graph-writer.ts';
import { ParseQueue } from '../../src/backends/languages/parse/parse-queue.ts';
import { admitUser } from '../../src/features/identity/people/admit-user.ts';
import { knowledgeJobs } from '../../src/features/knowledge/projection/jobs.ts';
import { cloneRepository } from '../../src/features/repositories/indexing/clone-repository.ts';
import { indexRepository } from '../../src/features/repositories/indexing/index-repository.ts';
import { requireRepository } from '../../src/features/repositories/repository-store.ts';
import { addRepository } from '../../src/features/repositories/setup/add-repository.ts';
import { openDerived } from '../../src/foundation/db/derived/open-derived.ts';
import { openWorker } from '../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { manifestsOnly } from '../support/codesearch/manifests-only.ts';
import { describeEachDatabase } from '../support/database/databases.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { jobContext } from '../support/jobs/job-context.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Files whose nesting takes the queries of JavaScript ten seconds each. */
function hostileFiles(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, index) => `hostile-${index}.js`);
  return Object.fromEntries(names.map((name) => [name, `// ${name}\nx=${'('.repeat(50_000)}`]));
}

describeEachDatabase('files that no grammar parses in time', (open) => {
  it('do not hold up the graphs of other organizations, nor do many repositories of one', async () => {
    const database = await open();
    const { options } = database;
    await using opened = new AsyncDisposableStack();
    const derived = await openDerived(
      options.dialect === 'sqlite'
        ? { dialect: 'sqlite', file: join(dirname(options.file), 'graph.db') }
        : options,
      derivedSchemas,
      silentLog,
    );
    opened.defer(() => derived.close());
    const parser = new ParseQueue({ log: silentLog });
    opened.defer(() => parser.close());
    const dataDir = temporaryFolder();
    const work = {
      database,
      codeIndex: manifestsOnly(),
      git: { dataDir, allowHosts: [] },
      clock: systemClock,
    };
    const add = async (orgSlug: string, files: Record<string, string>) => {
      const { organization } = await admitUser(work, { email: `ada@${orgSlug}.example`, orgSlug });
      const scope = { organizationId: organization.id, orgSlug };
      const adding = { ...work, allowLocal: true, allowHosts: [], dataDir };
      const source = createRepository(files).folder;
      const { id } = await addRepository(adding, scope, { kind: 'host' }, { source });
      const payload = { organizationId: organization.id, repositoryId: id };
      await cloneRepository(work, payload, jobContext());
      await indexRepository(work, payload, jobContext());
      return async () => (await requireRepository(database.queries, scope, id)).graphCommit;
    };
    const attacks: (() => Promise<string | undefined>)[] = [];
    for (let index = 0; index <= concurrency.graph; index++) attacks.push(await add('acme', hostileFiles(6)));
    const graphOf = await add('globex', { 'a.ts': 'export const one = 1;\n' });
    const repositories = openProjectedRepositories(database, { dataDir, allowHosts: [] });
    const { handlers } = knowledgeJobs({
      projection: { repositories, graph: openGraphWriter(derived), derived, parser },
    });
    const worker = openWorker({
      database,
      tasks: handlers,
      log: silentLog,
      clock: systemClock,
      concurrency,
    });
    opened.defer(() => worker.stop(0));
    worker.start();
    while ((await graphOf()) === undefined) await delay(20);
    expect(await Promise.all(attacks.map((read) => read()))).toEqual(attacks.map(() => undefined));
  });
});
