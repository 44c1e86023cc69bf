import type { Registration } from '../../../foundation/kernel/registration.ts';
import type { Connector } from '../port.ts';
import { trackerConfiguration } from './configuration.ts';
import { trackerJobs } from './jobs.ts';
import { trackerRecords } from './kinds/kinds.ts';
import { trackerOauth, trackerScopeOptions } from './oauth/tracker-setup.ts';
import { trackerSettings } from './settings.ts';
import { trackerTasks } from './tasks.ts';
import { trackerWebhooks } from './webhook.ts';

/** The registration of an app at Linear (specification, Tracker connector setup procedure). */
const trackerRegistration: Registration = {
  page: 'https://linear.app/settings/api/applications/new',
  fields: [
    ['Application name', 'a name for your people, such as orgctx'],
    ['Developer name', 'the name of your organization'],
    ['Callback URLs', 'the redirect URI exactly as shown, on a line of its own'],
    ['Webhooks', 'on'],
    ['Webhook URL', 'the webhook URL exactly as shown'],
    [
      'Data change events',
      'Issues, Comments, Documents, Projects, Initiatives, their updates and attachments, Cycles, Issue labels, Users and Customer requests',
    ],
    ['Authorization events', 'OAuth authorization events'],
  ],
  notes: [
    'You need the permission to create OAuth applications in the workspace.',
    'Copy the webhook signing secret before you create the application; copy the client id and the client secret after it.',
    'An application has one webhook URL. Create another application for a staging environment that needs its own events.',
  ],
};

export const tracker: Connector = {
  kind: 'tracker',
  product: 'Linear',
  records: trackerRecords,
  settings: trackerSettings,
  appHasWebhookSecret: true,
  registration: trackerRegistration,
  oauth: trackerOauth,
  scopeOptions: trackerScopeOptions,
  configuration: trackerConfiguration,
  tasks: trackerTasks,
  webhooks: trackerWebhooks,
  jobs: trackerJobs,
};
