import type { Connector } from '../port.ts';
import { trackerConfiguration } from './configuration.ts';
import { trackerJobs } from './jobs.ts';
import { trackerRecords } from './kinds/records.ts';
import { trackerSetup } from './oauth/tracker-setup.ts';
import { trackerRegistration } from './registration.ts';
import { trackerSettings } from './settings.ts';
import { trackerTasks } from './tasks.ts';
import { trackerWebhooks } from './webhook.ts';

export const tracker: Connector = {
  kind: 'tracker',
  product: 'Linear',
  records: trackerRecords,
  settings: trackerSettings,
  appHasWebhookSecret: true,
  registration: trackerRegistration,
  setup: trackerSetup,
  configuration: trackerConfiguration,
  syncConfig: trackerTasks.config,
  sync: trackerTasks.content,
  webhooks: trackerWebhooks,
  jobs: trackerJobs,
};
