import type { Migration } from '../src/foundation/db/migrations/migration.ts';
import { createConnectionChoices } from './initial/connection-choices.ts';
import { createConnectors } from './initial/connectors.ts';
import { createConversations } from './initial/conversations.ts';
import { createEntities } from './initial/entities.ts';
import { createGithosts } from './initial/githosts.ts';
import { createIdentity } from './initial/identity.ts';
import { createJobs } from './initial/jobs.ts';
import { createMirror } from './initial/mirror.ts';
import { createOauth } from './initial/oauth.ts';
import { createRepositories } from './initial/repositories.ts';
import { createSecrets } from './initial/secrets.ts';

/**
 * The whole schema. Edited in place until 0.1.0 is tagged; from then on each change of the schema is a new migration.
 * A database made before an edit is refused (`schema_changed`): delete it and create it again.
 */
export const initial: Migration = {
  id: '0001-initial',
  up: async (db, d) => {
    await createIdentity(db, d);
    await createOauth(db, d);
    await createGithosts(db, d);
    await createRepositories(db, d);
    await createSecrets(db, d);
    await createConnectors(db, d);
    await createConnectionChoices(db, d);
    await createEntities(db, d);
    await createMirror(db, d);
    await createJobs(db, d);
    await createConversations(db, d);
  },
};
