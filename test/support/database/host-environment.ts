import { temporaryFolder } from '../temporary-folder.ts';
import type { TestDatabase } from './databases.ts';

/** Returns the environment in which a command of the host uses the database of a test, with a new data folder. */
export function hostEnvironment({
  options,
}: Pick<TestDatabase, 'options'>): Readonly<Record<'DATA_DIR' | 'DATABASE_URL' | 'AUTH_SECRET', string>> {
  return {
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url,
    AUTH_SECRET: 'x'.repeat(40),
  };
}
