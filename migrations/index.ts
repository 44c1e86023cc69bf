import type { Migration } from '../src/foundation/db/migration.ts';
import { initial } from './0001-initial.ts';
import { durableCore } from './0002-durable-core.ts';
import { signInAndOauth } from './0003-sign-in-and-oauth.ts';
import { branches } from './0004-branches.ts';

/** Every migration, in order. A list and not a folder, so that it is bundled with the program. */
export const migrations: readonly Migration[] = [initial, durableCore, signInAndOauth, branches];
