import type { Registration } from '../../../foundation/kernel/registration.ts';

/** The creation of an access token at Gitea or Forgejo, by the bot account. */
export const giteaRegistration: Registration = {
  page: '/user/settings/applications',
  fields: [
    ['Token name', 'orgctx'],
    ['Repository and Organization Access', 'All (public, private, and limited)'],
    ['Permissions: issue', 'Read and Write'],
    ['Permissions: repository', 'Read and Write'],
    ['Permissions: user', 'Read'],
  ],
  notes: [
    'Sign in as a bot account that can write the repositories, or read them if it must not push.',
    'Copy the token; it is shown once.',
  ],
};
