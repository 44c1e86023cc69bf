import type { Registration } from '../../../foundation/kernel/registration.ts';
import type { Connector } from '../port.ts';
import { oncallConfiguration } from './configuration.ts';
import { oncallJobs } from './jobs.ts';
import { oncallOauth, oncallScopeOptions } from './oauth/oncall-setup.ts';
import { oncallRecords } from './records/records.ts';
import { oncallSettings } from './settings.ts';
import { oncallSubscribe, oncallTasks } from './tasks.ts';
import { oncallWebhooks } from './webhook.ts';

/** The registration of an app at PagerDuty (specification, Oncall connector setup procedure). */
const oncallRegistration: Registration = {
  page: 'https://developer.pagerduty.com/',
  fields: [
    ['Name', 'a name for your people, such as orgctx'],
    ['Description', 'what the app is for'],
    ['Functionality', 'OAuth 2.0 only; leave Events Integration unselected'],
    ['Authorization', 'Scoped OAuth'],
    ['Redirect URL', 'the redirect URI exactly as shown'],
    [
      'Permission Scope',
      'exactly incidents.read, services.read, users.read, webhook_subscriptions.read, webhook_subscriptions.write',
    ],
  ],
  notes: [
    'The form is New App in My Apps of the developer portal, or in Integrations, App Registration of your account. You need the role Admin or Account Owner.',
    'Copy the client id and the client secret; the secret is shown once. The webhook is created by orgctx itself.',
  ],
};

export const oncall: Connector = {
  kind: 'oncall',
  product: 'PagerDuty',
  records: oncallRecords,
  settings: oncallSettings,
  appHasWebhookSecret: false,
  registration: oncallRegistration,
  oauth: oncallOauth,
  scopeOptions: oncallScopeOptions,
  configuration: oncallConfiguration,
  afterAuthorization: oncallSubscribe,
  tasks: oncallTasks,
  webhooks: oncallWebhooks,
  jobs: oncallJobs,
};
