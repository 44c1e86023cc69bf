import { parseArgs } from 'node:util';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { faultsAfter, prepareOperations, runOperation } from './index-operations.ts';

/**
 * `node test/kill/codesearch.ts [--rounds N]`: kills a process with SIGKILL before a random change of the file system
 * while it builds, updates, merges, tidies or removes the index of a repository, and judges what is left. Exit code 1
 * when anything is.
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
let [kills, faults] = [0, 0];
for (let round = 0; round < rounds; round++) {
  const operation = operations[round % operations.length]!;
  const n = 1 + Math.floor(Math.random() * changes.get(operation.name)!);
  const { root, run } = await runOperation(operation, n, cache);
  if (run.killed) kills++;
  for (const fault of await faultsAfter(operation, root, run)) {
    faults++;
    console.log(`${operation.name}, killed before change ${n} (${run.writes.at(-1)}): ${fault}`);
  }
}
console.log(`${rounds} rounds, ${kills} kills, ${faults} faults`);
process.exitCode = faults === 0 && kills > 0 ? 0 : 1;
