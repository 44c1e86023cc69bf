import { relative } from 'node:path';
import fc from 'fast-check';
import { beforeEach } from 'vitest';
import { presentSeed, takeSeedUse } from './seed.ts';

fc.configureGlobal({ seed: presentSeed() });

// The last error of a random test that failed says how to repeat it.
beforeEach(({ task, onTestFailed }) => {
  takeSeedUse();
  onTestFailed(() => {
    const errors = task.result?.errors ?? [];
    const isRandom =
      takeSeedUse() || errors.some(({ message }) => message.startsWith('Property failed after '));
    if (!isRandom) return;
    const seed = presentSeed();
    const file = relative(process.cwd(), task.file.filepath);
    const command = `ORGCTX_TEST_SEED=${seed} npx vitest run --project=${task.file.projectName ?? ''} ${file}`;
    errors.push({ name: 'Seed', message: `Seed ${seed}: ${command}` });
  });
});
