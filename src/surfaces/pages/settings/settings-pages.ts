import type { AppPage } from '../app/app-page.ts';
import { listAuditPage } from './audit.ts';
import { revokeClient, showClients } from './clients.ts';
import {
  addHost,
  createSshKey,
  deleteSshKey,
  editHost,
  installHost,
  removeHost,
  showAddHost,
  showEditHost,
  showHosts,
} from './git-hosts.ts';
import { invite, showInvitations, withdraw } from './invitations.ts';
import { createKey, revokeKey, showKeys } from './keys.ts';
import { changeMember, removeMembership, showMembers } from './members.ts';

const member = { role: 'member', section: 'Settings' } as const;
const admin = { role: 'admin', section: 'Settings' } as const;
const keys = '/settings/keys';
const clients = '/settings/clients';
const members = '/settings/members';
const invitations = '/settings/invitations';
const hosts = '/settings/git-hosts';

/** The settings of a person and of the organization. */
export const settingsPages: readonly AppPage[] = [
  { ...member, method: 'GET', path: '/settings', handle: (visit) => visit.seeOther(keys) },
  { ...member, method: 'GET', path: keys, handle: (visit, context) => showKeys(visit, context) },
  { ...member, method: 'POST', path: keys, form: { page: keys }, handle: createKey },
  { ...member, method: 'POST', path: `${keys}/:id/revoke`, form: { page: keys }, handle: revokeKey },
  { ...member, method: 'GET', path: clients, handle: showClients },
  { ...member, method: 'POST', path: `${clients}/:id/revoke`, form: { page: clients }, handle: revokeClient },
  { ...admin, method: 'GET', path: members, handle: (visit, context) => showMembers(visit, context) },
  { ...admin, method: 'POST', path: `${members}/:id/role`, form: { page: members }, handle: changeMember },
  {
    ...admin,
    method: 'POST',
    path: `${members}/:id/remove`,
    form: { page: members },
    handle: removeMembership,
  },
  { ...admin, method: 'GET', path: invitations, handle: (visit, context) => showInvitations(visit, context) },
  { ...admin, method: 'POST', path: invitations, form: { page: invitations }, handle: invite },
  {
    ...admin,
    method: 'POST',
    path: `${invitations}/:id/withdraw`,
    form: { page: invitations },
    handle: withdraw,
  },
  { ...admin, method: 'GET', path: hosts, handle: (visit, context) => showHosts(visit, context) },
  {
    ...admin,
    method: 'GET',
    path: `${hosts}/add`,
    handle: (visit, context) => showAddHost(visit, context),
  },
  {
    ...admin,
    method: 'POST',
    path: `${hosts}/add`,
    form: { page: `${hosts}/add` },
    handle: addHost,
  },
  {
    ...admin,
    method: 'GET',
    path: `${hosts}/:id/edit`,
    handle: (visit, context) => showEditHost(visit, context),
  },
  {
    ...admin,
    method: 'POST',
    path: `${hosts}/:id/edit`,
    form: { page: `${hosts}/:id/edit` },
    handle: editHost,
  },
  { ...admin, method: 'POST', path: `${hosts}/:id/install`, form: { page: hosts }, handle: installHost },
  { ...admin, method: 'POST', path: `${hosts}/:id/remove`, form: { page: hosts }, handle: removeHost },
  { ...admin, method: 'POST', path: `${hosts}/ssh-key/delete`, form: { page: hosts }, handle: deleteSshKey },
  { ...admin, method: 'POST', path: `${hosts}/ssh-key`, form: { page: hosts }, handle: createSshKey },
  { ...admin, method: 'GET', path: '/settings/audit', handle: listAuditPage },
];
