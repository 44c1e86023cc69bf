import { parseArgs } from 'node:util';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { prepareOperations, runOperation, violationsAfter } from './index-operations.ts';

/**
 * `node test/kill/codesearch.ts [--rounds N]`: kills a process with SIGKILL before a random file-system change while it
 * builds, updates, merges, compacts or removes the index of a repository, and checks what is left. Exits with 1 when it
 * finds an error.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' } } });
const rounds = Number(values.rounds);
const cache = temporaryFolder();
const operations = await prepareOperations();
const changes = new Map<string, number>();
for (const operation of operations) {
  const { run } = await runOperation(operation, 0, cache);
  changes.set(operation.name, run.writes.length);
}
console.log(operations.map(({ name }) => `${name}: ${changes.get(name)} changes`).join(', '));
let [kills, errors] = [0, 0];
for (let round = 0; round < rounds; round++) {
  const operation = operations[round % operations.length]!;
  const n = 1 + Math.floor(Math.random() * changes.get(operation.name)!);
  const { root, run } = await runOperation(operation, n, cache);
  if (run.killed) kills++;
  for (const error of await violationsAfter(operation, root, run)) {
    errors++;
    console.log(`${operation.name}, killed before change ${n} (${run.writes.at(-1)}): ${error}`);
  }
}
console.log(`${rounds} rounds, ${kills} kills, ${errors} errors`);
process.exitCode = errors === 0 && kills > 0 ? 0 : 1;
