import type { Connector } from '../port.ts';
import { oncallConfiguration } from './configuration.ts';
import { oncallJobs } from './jobs.ts';
import { oncallSetup } from './oauth/oncall-setup.ts';
import { oncallRecords } from './records/oncall-records.ts';
import { oncallRegistration } from './registration.ts';
import { oncallSettings } from './settings.ts';
import { oncallSubscribe, oncallTasks } from './tasks.ts';
import { oncallWebhooks } from './webhook.ts';

export const oncall: Connector = {
  kind: 'oncall',
  product: 'PagerDuty',
  records: oncallRecords,
  settings: oncallSettings,
  appHasWebhookSecret: false,
  registration: oncallRegistration,
  setup: oncallSetup,
  configuration: oncallConfiguration,
  syncConfig: oncallTasks.config,
  afterAuthorization: oncallSubscribe,
  sync: oncallTasks.content,
  webhooks: oncallWebhooks,
  jobs: oncallJobs,
};
