import type { Registration } from '../../../foundation/kernel/registration.ts';

/** The registration of a GitHub App. */
export const githubRegistration: Registration = {
  page: '/settings/apps/new',
  fields: [
    ['GitHub App name', 'a name for your people; it is unique at GitHub'],
    ['Homepage URL', 'AUTH_BASE_URL'],
    ['Setup URL', 'AUTH_BASE_URL/api/v1/integrations/githost/setup'],
    ['Redirect on update', 'on'],
    ['Webhook: Active', 'on'],
    [
      'Webhook URL',
      'AUTH_BASE_URL/api/v1/webhook/githost/app; for an App of one connection, its id in place of app',
    ],
    ['Webhook secret', 'a random text, which you save as GITHOST_WEBHOOK_SECRET or with the connection'],
    [
      'Repository permissions',
      'Contents and Pull requests, each Read and write; Webhooks too, unless the App has an active webhook; Metadata is added by itself',
    ],
    ['Subscribe to events', 'Push and Repository'],
  ],
  notes: [
    'For an App of an organization, use Settings, Developer settings, GitHub Apps, New GitHub App of the organization.',
    'After it is created, copy the App ID and generate a private key; the last part of the public link is the slug.',
  ],
};
