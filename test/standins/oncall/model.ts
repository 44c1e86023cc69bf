import { createIncidents } from './incidents.ts';
import { type Account, newId, type Region, type Service, type User } from './types.ts';

export function createAccount(subdomain: string, region: Region, suffix: string): Account {
  let skewMs = 0;
  let frozen: number | undefined;
  const account: Account = {
    subdomain,
    region,
    webOrigin: `https://${subdomain}.${suffix}`,
    users: [],
    services: [],
    incidents: undefined as never,
    viewer: undefined as never,
    now: () => frozen ?? Date.now() + skewMs,
    advance: (ms) => void (skewMs += ms),
    freeze: (at) => void (frozen = at),
    addUser(name, role = 'user') {
      const user: User = { id: newId('P'), name, role };
      account.users.push(user);
      return user;
    },
    addService(name, more = {}) {
      const service: Service = { id: newId('P'), name, description: null, status: 'active', ...more };
      account.services.push(service);
      return service;
    },
    onEvent: () => {},
  };
  Object.assign(account, {
    incidents: createIncidents(account),
    viewer: account.addUser('Ada Lovelace', 'owner'),
  });
  return account;
}
