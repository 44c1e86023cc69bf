import { afterAll } from 'vitest';
import { removeTemporaryFolders } from './temporary-folder.ts';

// Of set-up files the runner hears before a test file says its own hooks, so that this one runs after them.
afterAll(removeTemporaryFolders);
