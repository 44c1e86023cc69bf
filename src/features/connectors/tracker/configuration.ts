import { z } from 'zod';
import type { ConnectorConfiguration } from '../port.ts';

const names = z.array(z.string().min(1).max(200)).max(1_000);
const day = z.iso.date('must be a date such as 2025-01-01');
const on = z.boolean().default(true);
const off = z.boolean().default(false);

const states = z.enum(['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']);

const mebibyte = 1024 ** 2;

/** The limits of the specification; a file may only lower them. */
const maxAssetBytes = 25 * mebibyte;
const maxTotalBytes = 100 * mebibyte;

const scope = z.strictObject({
  teams: names.min(1, 'must name at least one team, or "*" for all'),
  projects: names.default([]),
  labels: z
    .strictObject({ include: names.default([]), exclude: names.default([]) })
    .default({ include: [], exclude: [] }),
  states: z.array(states).default([]),
  since: day.optional(),
  includeArchived: off,
  includePrivateTeams: off,
});

const content = z
  .strictObject({
    issues: on,
    comments: on,
    documents: on,
    projects: on,
    projectUpdates: on,
    initiatives: on,
    cycles: on,
    labels: on,
    users: on,
    customerRequests: off,
  })
  .prefault({});

const assets = z
  .strictObject({
    uploads: on,
    embedded: on,
    maxBytes: z.int().min(0).max(maxAssetBytes).default(maxAssetBytes),
    maxTotalBytes: z.int().min(0).max(maxTotalBytes).default(maxTotalBytes),
    allowTypes: names.default([]),
  })
  .prefault({});

/** The content of a configuration file besides its version and connection. */
export const trackerConfigurationShape = z.object({ scope, content, assets });

export type TrackerConfiguration = z.output<typeof trackerConfigurationShape>;

export const trackerConfiguration: ConnectorConfiguration = {
  scope,
  blocks: { content, assets },
  flags: {
    team: {
      placeholder: 'key',
      description: 'key or id of a team to mirror; `*` for all visible ones',
      scopeOf: (teams) => ({ teams }),
    },
  },
  // The key is the end of the address of a workspace: `https://linear.app/acme`.
  workspaceOf: ({ id, url }) => ({
    id,
    ...(url !== undefined && { urlKey: url.slice(url.lastIndexOf('/') + 1) }),
  }),
  comments: {
    'scope.teams': 'keys or ids; ["*"] = all visible teams',
    scope: '`since: 2025-01-01` leaves out what was neither created nor updated since',
    'scope.projects': 'slug ids or ids; empty = all in those teams',
    'scope.states': 'triage backlog unstarted started completed canceled duplicate; empty = all',
    assets: 'the limits can only be lowered',
  },
};
