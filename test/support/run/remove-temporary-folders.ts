import { afterAll } from 'vitest';
import { removeTemporaryFolders } from '../temporary-folder.ts';

// The runner registers hooks of set-up files before those of the test file, so this one runs after them.
afterAll(removeTemporaryFolders);
